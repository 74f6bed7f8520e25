"""Everything that scripts/gen writes: transcripts, schema, OpenRPC, TypeScript, the reference, corpus cases, tools,
rows.
"""
