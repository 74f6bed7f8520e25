"""One device a file: standard streams, vocabularies, snapshots, the archive, a model server.

Each is imported where it is used.
"""
