using Aspire.Hosting.ApplicationModel;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting;

/// <summary>The machine that fences refer to: the one on the dashboard, or this one if there is none.</summary>
internal static class NumaMachine
{
    public static NumaTopologyResource? ResourceOf(IEnumerable<IResource> resources) =>
        resources.OfType<NumaTopologyResource>().FirstOrDefault();

    public static NumaTopology Of(IEnumerable<IResource> resources) =>
        ResourceOf(resources)?.Topology ?? NumaTopology.Instance;

    /// <summary>
    /// The machine that containers run on; <see langword="null"/> if unknown: off Linux they run in a virtual machine with its
    /// own CPUs.
    /// </summary>
    public static NumaTopology? OfContainers(IEnumerable<IResource> resources) =>
        OperatingSystem.IsLinux() || ResourceOf(resources) is { IsThisMachine: false } ? Of(resources) : null;

    /// <summary>The resources that WithNuma was called for, with their settings.</summary>
    public static IEnumerable<(IResource Resource, NumaResourceOptions Options)> FencedIn(IEnumerable<IResource> resources) =>
        resources.SelectMany(static resource => resource.Annotations
            .OfType<NumaAnnotation>()
            .Select(annotation => (resource, annotation.Options)));
}
