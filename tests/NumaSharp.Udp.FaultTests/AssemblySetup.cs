// Faults and descriptors are the process's.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
