using System.Globalization;
using NumaSharp.Core;

namespace Acme.Numa;

/// <summary>The section <c>Numa:Acme</c>: <c>Nodes</c>, 1 to 8.</summary>
internal sealed record AcmeSettings(int Nodes)
{
    private const int MaxNodes = 8;

    public static AcmeSettings From(NumaPluginSettings settings)
    {
        var problems = settings.Values.Keys
            .Where(static key => !key.Equals("Nodes", StringComparison.OrdinalIgnoreCase))
            .Select(key => new NumaSettingProblem($"Acme:{key}", settings.Values[key], "is not a known key; known is Nodes"))
            .ToList();
        var nodes = 2;
        if (settings.Values.TryGetValue("Nodes", out var text)
            && (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out nodes) || nodes is < 1 or > MaxNodes))
        {
            problems.Add(new NumaSettingProblem("Acme:Nodes", text, $"must be an integer from 1 to {MaxNodes}"));
        }

        return problems.Count == 0 ? new AcmeSettings(nodes) : throw new NumaSettingException(problems);
    }
}
