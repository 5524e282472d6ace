"""`torch.backends.cudnn`: settings of a library for GPUs, which have no effect here."""

benchmark = deterministic = False
enabled = True
