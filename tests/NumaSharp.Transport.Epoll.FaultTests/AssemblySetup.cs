using System.Runtime.CompilerServices;
using NumaSharp.Core;

// Faults and descriptors are the process's.
[assembly: CollectionBehavior(DisableTestParallelization = true)]

namespace NumaSharp.Transport.Epoll.FaultTests;

internal static class FaultSetup
{
    [ModuleInitializer]
    internal static void Install() => Fault.Install(typeof(NumaTopology).Assembly, typeof(EpollTransportFactory).Assembly);
}
