using System.Globalization;
using Microsoft.Extensions.Configuration;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Settings;

/// <summary>A setting with values per node: one key per node below it, named by the kernel's id.</summary>
internal sealed class NodeSetting<T>(
    string path,
    SettingFormat<T> format,
    Func<NumaOptions, IDictionary<NumaNodeId, T>> get,
    string description)
    : Setting(path, description)
{
    public override string Allowed => $"a section with a key per node: {format.Allowed}";

    public override string Default => "";

    public override SettingShape Shape { get; } = new("object") { PerNode = format.Shape };

    public override IEnumerable<SettingFailure> Read(NumaOptions options, WrittenKey key)
    {
        if (!string.IsNullOrWhiteSpace(key.Value))
        {
            return [new SettingFailure(Path, key.Value, $"must be {Allowed}")];
        }

        return [.. key.Children.Select(child => ReadNode(options, child)).OfType<SettingFailure>()];
    }

    public override IEnumerable<SettingFailure> FindInvalid(NumaOptions options) => get(options)
        .Where(pair => !format.IsAllowed(pair.Value))
        .OrderBy(static pair => pair.Key)
        .Select(pair => new SettingFailure(
            PathOf(pair.Key.Value.ToString(CultureInfo.InvariantCulture)), format.ToText(pair.Value), Reason));

    public override IEnumerable<KeyValuePair<string, string>> TextsOf(NumaOptions options) => get(options)
        .Select(pair => KeyValuePair.Create(
            PathOf(pair.Key.Value.ToString(CultureInfo.InvariantCulture)), format.ToText(pair.Value)));

    private string Reason => $"the key must be a node, the value {format.Allowed}";

    private SettingFailure? ReadNode(NumaOptions options, WrittenKey child)
    {
        if (child.Children.Count > 0)
        {
            return new SettingFailure(
                PathOf(child.Name), SettingFailure.Structure, $"must be {format.Allowed}, not an object or an array");
        }

        if (string.IsNullOrWhiteSpace(child.Value))
        {
            return null;
        }

        if (!int.TryParse(child.Name, NumberStyles.None, CultureInfo.InvariantCulture, out var node)
            || node > CpuSet.MaxId
            || !format.TryParse(child.Value.Trim(), out var value)
            || !format.IsAllowed(value))
        {
            return new SettingFailure(
                PathOf(child.Name), child.Value, $"the key must be a node, the value {format.ReasonFor(child.Value.Trim())}");
        }

        get(options)[new NumaNodeId(node)] = value;
        return null;
    }

    private string PathOf(string node) => ConfigurationPath.Combine(Path, node);
}
