using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Commands;

/// <summary>Kinds of options that several commands have.</summary>
internal static class CommandOptions
{
    private const double MaxSeconds = 24 * 60 * 60;

    /// <summary>CPUs or nodes as the kernel writes them; at least one.</summary>
    public static Option<CpuSet?> KernelList(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "LIST",
        CustomParser = result =>
        {
            var text = result.Tokens[0].Value;
            if (CpuSet.TryParseList(text, out var list) && !list.IsEmpty)
            {
                return list;
            }

            result.AddError($"{name} '{text}' is not a kernel list such as 0-3,8.");
            return null;
        },
    };

    /// <summary>A time in seconds, up to a day.</summary>
    public static Option<double> Seconds(string name, double defaultValue, string description) => new(name)
    {
        Description = description,
        HelpName = "SECONDS",
        DefaultValueFactory = _ => defaultValue,
        CustomParser = result => Parse(result, name, MaxSeconds, " seconds", isWhole: false),
    };

    /// <summary>A whole number from 1.</summary>
    public static Option<int> Count(string name, int defaultValue, int maximum, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        DefaultValueFactory = _ => defaultValue,
        CustomParser = result => (int)Parse(result, name, maximum, "", isWhole: true),
    };

    private static double Parse(ArgumentResult result, string name, double maximum, string unit, bool isWhole)
    {
        var text = result.Tokens[0].Value;
        if (double.TryParse(text, isWhole ? NumberStyles.None : NumberStyles.Float, CultureInfo.InvariantCulture, out var value)
            && value > 0
            && value <= maximum)
        {
            return value;
        }

        var from = isWhole ? "a whole number from 1 to" : "more than 0 and at most";
        result.AddError($"{name} '{text}' must be {from} {maximum}{unit}.");
        return 0;
    }
}
