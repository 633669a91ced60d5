using NumaSharp.Tool.Tune;

namespace NumaSharp.Tool.Tests.Tune;

/// <summary>Settings in memory, some of which are refused.</summary>
internal sealed class FakeSettings : IKernelSettings
{
    public Dictionary<string, string> Values { get; } = new(StringComparer.Ordinal);

    /// <summary>Each value that was written, refused or not.</summary>
    public List<(string Name, string Value)> Writes { get; } = [];

    /// <summary>Says what is wrong with a value; nothing by default.</summary>
    public Func<string, string, string?> Refuse { get; set; } = static (_, _) => null;

    /// <summary>What becomes of a value that is taken.</summary>
    public Func<string, string> Take { get; set; } = static value => value;

    public string? Read(string name) => Values.GetValueOrDefault(name);

    public string? TryWrite(string name, string value)
    {
        Writes.Add((name, value));
        if (Refuse(name, value) is { } problem)
        {
            return problem;
        }

        Values[name] = Take(value);
        return null;
    }
}
