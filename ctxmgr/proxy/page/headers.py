"""Headers of every answer of the page's: nothing of it is kept, framed, or told to another site."""

NEVER_ELSEWHERE = {
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
