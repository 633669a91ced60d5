// The tests change the machine that they share: CPUs go offline, cgroups come and go, nodes fill up.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
