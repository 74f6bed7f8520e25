"""A ctxmgr that writes down what it imports, and may hold few file descriptors: for tests of what happens without.

`limited_serve.py FILE DESCRIPTORS serve ...`: a line for each module goes to FILE; 0 for as many as there are.
"""

import os
import resource
import sys

if __name__ == "__main__":
    log = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if files := int(sys.argv.pop(1)):
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        if event == "import":
            os.write(log, f"{arguments[0]}\n".encode())

    sys.addaudithook(heard)
    from ctxmgr import cli

    sys.exit(cli.main())
