using Aspire.Hosting.ApplicationModel;
using NumaSharp.Aspire.Hosting.Mapping;
using NumaSharp.Core;

namespace NumaSharp.Aspire.Hosting;

/// <summary>The plans of the resources' hosts on the machine, for people.</summary>
internal static class NumaPlanText
{
    private const string Nothing = "No resource is fenced.";

    /// <summary>One line per resource, as its host logs it at start.</summary>
    public static string ToLines(NumaTopology topology, IEnumerable<IResource> resources) =>
        TextOf(NumaMachine.FencedIn(resources).Select(fenced => $"{fenced.Resource.Name}: " + Describe(
            fenced.Settings, topology, static misfits => string.Join(" ", misfits), static plan => $"{plan}")));

    /// <summary>As Markdown, with a list of nodes per resource.</summary>
    public static string ToMarkdown(NumaTopology topology, IEnumerable<IResource> resources) =>
        TextOf(NumaMachine.FencedIn(resources).Select(fenced => $"**{fenced.Resource.Name}**\n" + Describe(
            fenced.Settings, topology, ToList, static plan => ToList(plan.Nodes.Select(static node => $"{node}"))) + "\n"));

    private static string Describe(
        NumaResourceSettings settings,
        NumaTopology topology,
        Func<IReadOnlyList<string>, string> toText,
        Func<NumaPlan, string> toPlan) =>
        NumaFence.TryPlan(settings, topology, out var plan, out var misfits) ? toPlan(plan) : toText(misfits);

    private static string ToList(IEnumerable<string> lines) => string.Concat(lines.Select(static line => $"- {line}\n"));

    private static string TextOf(IEnumerable<string> parts) =>
        string.Join('\n', parts) is { Length: > 0 } text ? text : Nothing;
}
