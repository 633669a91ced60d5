using System.Globalization;
using Aspire.Hosting;
using Aspire.Hosting.ApplicationModel;
using NumaSharp.Aspire.Hosting.Mapping;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting;

/// <summary>Stops the start of an application that asks for what the machine lacks; reports all of it at once.</summary>
internal static class NumaFenceCheck
{
    public static void ThrowIfMisfit(IResourceCollection resources)
    {
        if (FindMisfits(resources, NumaMachine.Of(resources)) is { Count: > 0 } misfits)
        {
            throw Misfit(misfits);
        }
    }

    /// <summary>The plan of a resource's host.</summary>
    /// <exception cref="DistributedApplicationException">The settings do not fit the machine.</exception>
    public static NumaPlan PlanOf(IResource resource, NumaResourceOptions options, NumaTopology topology) =>
        NumaFence.TryPlan(options, topology, out var plan, out var misfits) ? plan : throw Misfit(Name(resource, misfits));

    /// <summary>What the fenced resources need and a machine lacks, one line each.</summary>
    public static IReadOnlyList<string> FindMisfits(IEnumerable<IResource> resources, NumaTopology topology) =>
    [
        .. NumaMachine.FencedIn(resources)
            .SelectMany(fenced => Name(fenced.Resource, NumaFence.FindMisfits(fenced.Options, topology))),
    ];

    /// <summary>The projects with more replicas than nodes on a machine, one line each.</summary>
    public static IEnumerable<string> FindCrowded(IEnumerable<IResource> resources, NumaTopology topology)
    {
        foreach (var (resource, options) in NumaMachine.FencedIn(resources))
        {
            var replicas = resource.GetReplicaCount();
            if (options.Settings.ContainsKey(NumaVariables.Claims)
                && NumaFence.TryPlan(options, topology, out var plan, out _)
                && NumaFence.CountOfServing(plan) is var nodes
                && replicas > nodes)
            {
                yield return string.Create(
                    CultureInfo.InvariantCulture,
                    $"{resource.Name}: {replicas} replicas, but nodes for only {nodes}: the others use all nodes.");
            }
        }
    }

    private static DistributedApplicationException Misfit(IEnumerable<string> misfits) => new(string.Join(
        Environment.NewLine, misfits.Prepend("WithNuma does not fit the machine of the AppHost.")));

    private static IEnumerable<string> Name(IResource resource, IReadOnlyList<string> misfits) =>
        misfits.Select(misfit => $"{resource.Name}: {misfit}");
}
