using NumaSharp.Core;
using NumaSharp.Core.Planning;
using NumaSharp.Hosting.Platform;

namespace NumaSharp.Hosting.Memory;

/// <summary>
/// What log, page and health check say of the garbage collector's heap. Nothing, if the nodes are not this machine's, where the
/// collector's heaps are, or if the application does not want to hear of it.
/// </summary>
/// <param name="settings">The collector's; <see langword="null"/> for nothing to say.</param>
internal sealed class ManagedHeapReport(ManagedHeapSettings? settings)
{
    // The package writes it into the runtimeconfig.json of an application with NumaGarbageCollection=false.
    private const string Switch = "NumaSharp.ReportManagedHeap";

    public static ManagedHeapReport Of(NumaPlatform platform, NumaOptions options) => new(
        PlatformSelector.IsOfThisLinux(platform.Topology, options.Topology)
        && !(AppContext.TryGetSwitch(Switch, out var isWanted) && !isWanted)
            ? ManagedHeapSettings.OfThisProcess
            : null);

    public ManagedHeapProblem? Find(NumaPlan plan) => settings is { } known ? ManagedHeap.Find(plan, known) : null;
}
