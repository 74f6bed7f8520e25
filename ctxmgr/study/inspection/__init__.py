"""Commands on a state directory: what a snapshot holds, and what is deleted of a session.

Needs nothing but the standard library.
"""
