using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Commands;

/// <summary>Options that several commands have; a new one for each, because an option belongs to its command.</summary>
internal static class CommandOptions
{
    private const double MaxSeconds = 24 * 60 * 60;

    public static Option<OutputFormat> Format()
    {
        var option = new Option<OutputFormat>("--format", "-f")
        {
            Description = "What to write: text for people, json for programs.",
            HelpName = "text|json",
            CustomParser = static result =>
            {
                var text = result.Tokens[0].Value;
                switch (text.ToUpperInvariant())
                {
                    case "TEXT":
                        return OutputFormat.Text;
                    case "JSON":
                        return OutputFormat.Json;
                    default:
                        result.AddError($"--format = '{text}': allowed are text and json.");
                        return default;
                }
            },
        };
        option.CompletionSources.Add("text", "json");
        return option;
    }

    public static Option<string?> Root() => new("--root")
    {
        Description = "Another machine: a folder with sys and proc in it, or an archive made by 'numasharp snapshot'.",
        HelpName = "DIR|FILE",
    };

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
