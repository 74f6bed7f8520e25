"""What a session asks of its store: the requests of the table in docs/guide/store.md."""

from collections import Counter

from tests.unit.store.machines import BASE, Machine, event, row
from tests.unit.store.memory import MemoryObjects

BILLED = {"get": "GET", "put": "PUT", "swap": "PUT", "create": "PUT", "listed": "LIST"}


def requests(objects: MemoryObjects) -> dict[str, int]:
    """Those since the last call, by how they are billed. Deletes are free."""
    counts = Counter(BILLED[kind] for kind, _ in objects.requests if kind != "delete")
    objects.requests.clear()
    return dict(counts)


async def test_two_puts_a_turn_and_few_for_start_and_end(
    here: Machine, elsewhere: Machine, objects: MemoryObjects
) -> None:
    await here.start()
    here.save(BASE)
    await here.kept.flush()
    assert requests(objects) == {"GET": 1, "PUT": 3}
    for number in range(3):
        here.save(event(number + 1))
        await here.kept.flush()
    assert requests(objects) == {"PUT": 6}
    here.save(event(4))
    await here.end()
    assert requests(objects) == {"PUT": 2}
    await elsewhere.start()
    elsewhere.save(event(5))
    await elsewhere.end()
    assert requests(objects) == {"GET": 6, "LIST": 1, "PUT": 3}  # the head, and a part for each batch


async def test_who_goes_on_elsewhere_gets_no_object_for_each_turn_of_which_something_left(
    here: Machine, elsewhere: Machine, objects: MemoryObjects
) -> None:
    await here.start()
    here.save(BASE)
    for number in range(75):
        here.leaves(row(f"h{number}"))
        here.save(event(number + 1))
        await here.kept.flush()
    await here.end()
    assert requests(objects)["GET"] > 1  # to put together what is not full
    await elsewhere.start()
    await elsewhere.end()
    assert 1 < requests(objects)["GET"] <= 1 + 24 + 24
