"""How a monitor decides: classes, verifications, caps and rationing; no files, no text, no HTTP."""
