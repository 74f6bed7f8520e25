"""One question to a model: what is asked, asked again, and read of the answer. Makes no completion."""
