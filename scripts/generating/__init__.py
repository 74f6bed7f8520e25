"""What scripts/gen writes: transcripts, schema, OpenRPC, TypeScript, the reference, cases from transcripts."""
