"""What is known of a fault beyond its class, and of rows that nothing reads (docs/adr/0016).

The passes find the first fault and keep nothing for this: `investigate` looks up what went before in a second timing pass.
"""
