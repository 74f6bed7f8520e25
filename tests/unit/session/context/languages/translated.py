"""A session in three languages: what an assistant says while it mends a queue, sentence by sentence the same.

Each reply is a list of sentences in English, German and Spanish; the last of each comes right before a call.
"""

from typing import Literal

Language = Literal["en", "de", "es"]
LANGUAGES: tuple[Language, ...] = ("en", "de", "es")

GOAL = {
    "en": "The queue in src/queue.py loses entries when two workers read it. Find out why and mend it.",
    "de": "Die Warteschlange in src/queue.py verliert Einträge, wenn zwei Prozesse lesen. Behebe es.",
    "es": "La cola de src/queue.py pierde entradas cuando dos procesos leen de ella. Averigua por qué y arréglalo.",
}

# of each reply the sentences, in the order of LANGUAGES
REPLIES: tuple[tuple[tuple[str, str, str], ...], ...] = (
    (
        (
            "I'll start with the queue and the workers that read it.",
            "Ich beginne mit der Warteschlange und den Prozessen, die sie lesen.",
            "Empiezo por la cola y los procesos que la leen.",
        ),
    ),
    (
        (
            "The root cause is in `take_first`: it reads the head before it holds `queue_lock`.",
            "Die Ursache liegt in `take_first`: der Kopf wird gelesen, bevor `queue_lock` gehalten wird.",
            "La causa está en `take_first`: lee la cabeza antes de tener `queue_lock`.",
        ),
        (
            "Let me see who else calls it.",
            "Mal sehen, wer es sonst noch aufruft.",
            "Veamos quién más la llama.",
        ),
    ),
    (
        (
            "Holding `queue_lock` in `take_first` alone does not work, because `peek_all` takes it a second time.",
            "Nur in `take_first` zu sperren geht nicht, weil `peek_all` `queue_lock` ein zweites Mal nimmt.",
            "Bloquear solo en `take_first` no sirve, porque `peek_all` toma `queue_lock` otra vez.",
        ),
        (
            "I'll use `RLock` instead of `Lock` in `src/queue.py`, so both may hold it.",
            "Ich nehme in `src/queue.py` einen `RLock` statt `Lock`, damit beide sperren dürfen.",
            "Uso `RLock` en lugar de `Lock` en `src/queue.py`, para que ambas puedan bloquear.",
        ),
    ),
    (
        (
            "The tests of `test_workers.py` still fail, since `drain_twice` expects two entries.",
            "Die Tests in `test_workers.py` scheitern noch, da `drain_twice` zwei Einträge erwartet.",
            "Las pruebas de `test_workers.py` siguen fallando, pues `drain_twice` espera dos entradas.",
        ),
        (
            "Next I read the test.",
            "Als Nächstes lese ich den Test.",
            "Ahora leo la prueba.",
        ),
    ),
    (
        (
            "The problem is that `drain_twice` counts what `peek_all` returned before the lock.",
            "`drain_twice` zählt mit, was `peek_all` vor der Sperre geliefert hat.",
            "`drain_twice` cuenta también lo que `peek_all` devolvió antes del bloqueo.",
        ),
        (
            "I'm going to copy the list in `peek_all` rather than return it, so that callers can't change it.",
            "Ich kopiere die Liste in `peek_all`, statt sie herauszugeben, damit Aufrufer sie nicht ändern.",
            "Voy a copiar la lista en `peek_all` en vez de entregarla, para que nadie la cambie.",
        ),
    ),
    (
        (
            "I tried a larger `MAX_BATCH` and it made no difference.",
            "Ein größeres `MAX_BATCH` hat nichts geändert.",
            "Un `MAX_BATCH` mayor no cambió nada.",
        ),
        (
            "So the loss is not a matter of size.",
            "Der Verlust hängt also nicht an der Größe.",
            "La pérdida no depende pues del tamaño.",
        ),
    ),
    (
        (
            "The crash in `worker_loop` is caused by `flush_all`, which closes the file twice.",
            "Der Absturz in `worker_loop` kommt von `flush_all`, das die Datei zweimal schließt.",
            "El fallo de `worker_loop` viene de `flush_all`, que cierra el archivo dos veces.",
        ),
        (
            "I'll look at the callers.",
            "Ich schaue mir die Aufrufer an.",
            "Miro quién la usa.",
        ),
    ),
    (
        (
            "We keep `flush_all` as it is and close in `worker_loop` instead of there.",
            "Wir lassen `flush_all`, wie es ist, und schließen in `worker_loop` statt dort.",
            "Dejamos `flush_all` como está y cerramos en `worker_loop` en lugar de allí.",
        ),
    ),
    (
        (
            "It turns out `retry_count` is never reset after a success.",
            "`retry_count` wird nach einem Erfolg nie zurückgesetzt.",
            "`retry_count` no se pone a cero después de un éxito.",
        ),
        (
            "That explains the entries that were dropped on Monday.",
            "Das erklärt die Einträge, die am Montag fehlten.",
            "Eso explica las entradas que faltaban el lunes.",
        ),
    ),
    (
        (
            "I decided to reset it in `on_success`, because `worker_loop` returns early.",
            "Ich setze es in `on_success` zurück, weil `worker_loop` früher zurückkehrt.",
            "Lo reinicio en `on_success`, porque `worker_loop` vuelve antes.",
        ),
    ),
)
