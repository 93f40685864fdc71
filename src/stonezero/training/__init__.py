"""Training: samples out of the window, losses, optimisers, the loop."""

import os

# torch's threads otherwise spin while they wait for each other: beside another busy process two threads
# then take five times as long as one. Read once, when torch is first imported; results are the same.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
