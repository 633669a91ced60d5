using System.Globalization;
using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Aspire.Hosting.Mapping;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting;

/// <summary>Stops the start of an application that asks for what the machine lacks; reports all of it at once.</summary>
internal static class NumaFenceCheck
{
    public static void ThrowIfMisfit(IResourceCollection resources) =>
        Throw(FindMisfits(resources, NumaMachine.Of(resources)));

    public static void ThrowIfMisfit(IResource resource, NumaResourceSettings settings, NumaTopology topology) =>
        Throw(FindMisfits(resource, settings, topology));

    /// <summary>What the fenced resources need and a machine lacks, one line each.</summary>
    public static IReadOnlyList<string> FindMisfits(IEnumerable<IResource> resources, NumaTopology topology) =>
        [.. NumaMachine.FencedIn(resources).SelectMany(fenced => FindMisfits(fenced.Resource, fenced.Settings, topology))];

    /// <summary>The projects with more replicas than nodes on a machine, one line each.</summary>
    public static IEnumerable<string> FindCrowded(IEnumerable<IResource> resources, NumaTopology topology) =>
        from fenced in NumaMachine.FencedIn(resources)
        let replicas = fenced.Resource.GetReplicaCount()
        where fenced.Settings.Settings.ContainsKey(NumaVariables.Claims)
            && NumaFence.FindMisfits(fenced.Settings, topology).Count == 0
        let nodes = NumaFence.CountOfServing(fenced.Settings, topology)
        where replicas > nodes
        select string.Create(
            CultureInfo.InvariantCulture,
            $"{fenced.Resource.Name}: {replicas} replicas, nodes for {nodes}: those without one use all nodes.");

    private static void Throw(IReadOnlyList<string> misfits)
    {
        if (misfits.Count > 0)
        {
            throw new DistributedApplicationException(string.Join(
                Environment.NewLine, misfits.Prepend("WithNuma does not fit the machine of the AppHost.")));
        }
    }

    private static IReadOnlyList<string> FindMisfits(IResource resource, NumaResourceSettings settings, NumaTopology topology) =>
        [.. NumaFence.FindMisfits(settings, topology).Select(misfit => $"{resource.Name}: {misfit}")];
}
