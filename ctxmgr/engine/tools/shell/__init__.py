"""What a shell's command line does to files. Knows programs and their options, no tool's name and no argument's."""
