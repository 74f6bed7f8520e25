"""Text of people and models as text: sentences, headings, checklists, one-line forms.

Knows no fact and no packet.
"""
