using System.Collections;
using System.Globalization;
using System.Reflection;
using NumaSharp.Core;

namespace NumaSharp.Tests.Core.Topology;

/// <summary>
/// All that a topology says, as lines, and the machine's counters: two machines are the same if their lines are. The properties
/// are found by reflection, so that a new one is compared, too.
/// </summary>
internal static class TopologyText
{
    public static void AssertSame(string expectedRoot, string actualRoot) => Assert.Equal(Of(expectedRoot), Of(actualRoot));

    /// <summary>The lines; warnings name paths as seen from the root.</summary>
    public static string Of(string root)
    {
        var provider = RealMachines.ProviderOf(root);
        var topology = provider.Read();
        var counters = topology.Nodes.Select(node => provider.ReadStatistics(node.Id));
        var lines = Lines("topology", topology).Concat(Lines("counters", counters));
        return string.Join('\n', lines).Replace(root, "", StringComparison.Ordinal);
    }

    public static IEnumerable<PropertyInfo> PropertiesOf(Type type) =>
        type.GetProperties(BindingFlags.Public | BindingFlags.Instance);

    private static IEnumerable<string> Lines(string path, object? value) => value switch
    {
        null => [$"{path}: none"],
        CpuSet or string or NumaNodeId or IConvertible => [string.Create(CultureInfo.InvariantCulture, $"{path}: {value}")],
        IEnumerable items => LinesOfItems(path, [.. items.Cast<object?>()]),
        _ => PropertiesOf(value.GetType()).SelectMany(property => Lines($"{path}.{property.Name}", property.GetValue(value))),
    };

    private static IEnumerable<string> LinesOfItems(string path, object?[] items) =>
    [
        string.Create(CultureInfo.InvariantCulture, $"{path}: {items.Length}"),
        .. items.SelectMany((item, at) => Lines(string.Create(CultureInfo.InvariantCulture, $"{path}[{at}]"), item)),
    ];
}
