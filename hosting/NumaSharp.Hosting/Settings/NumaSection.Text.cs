using Microsoft.Extensions.Configuration;

namespace NumaSharp.Hosting.Configuration;

/// <content>The section as a single switch, and failures as lines.</content>
internal sealed partial class NumaSection
{
    private const string Switch = "Enabled";

    private readonly SettingSources _sources = new(configuration);

    /// <summary>A failure as a line: the key, its value, the source of the value, and what is allowed.</summary>
    public string Describe(SettingFailure failure)
    {
        var key = KeyOf(failure.Path);
        return _sources.NameOf(key, out var written) is { } source && MeansSame(failure, written)
            ? (failure with { Value = written ?? failure.Value }).ToText(key, source)
            : failure.ToText(key, source: null);
    }

    private string KeyOf(string path) => path.Length == 0 ? Prefix[..^1] : Prefix + path;

    // Code may have set a value other than the written one, and sizes may be shown in other units than written.
    private bool MeansSame(SettingFailure failure, string? written)
    {
        if (written is null)
        {
            return failure.Value == SettingFailure.Structure;
        }

        var options = new NumaOptions();
        Bind(options);
        return written == failure.Value
            || NumaSettings.All.SelectMany(setting => setting.TextsOf(options)).Any(
                pair => pair.Key.Equals(failure.Path, StringComparison.OrdinalIgnoreCase) && pair.Value == failure.Value);
    }

    // "Numa": false, or Numa=off, means Enabled. The later source of the two counts.
    private IEnumerable<SettingFailure> ReadSwitch(WrittenKey written, NumaOptions options)
    {
        var text = written.Value?.Trim();
        // The environment variable NUMA is also read as the section's value.
        bool? value = text?.ToUpperInvariant() switch
        {
            "TRUE" or "ON" or "YES" or "1" => true,
            "FALSE" or "OFF" or "NO" or "0" => false,
            _ => null,
        };
        if (value is not { } enabled)
        {
            return string.IsNullOrEmpty(text)
                ? []
                : [new SettingFailure("", text, "must be a section, or true, on, false or off for its key Enabled")];
        }

        if (string.IsNullOrEmpty(written.Find(Switch)?.Value)
            || _sources.OrderOf(section!.Path) > _sources.OrderOf(KeyOf(Switch)))
        {
            options.Enabled = enabled;
        }

        return [];
    }
}
