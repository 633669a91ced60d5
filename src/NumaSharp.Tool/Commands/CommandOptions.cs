using System.CommandLine;
using System.CommandLine.Completions;
using System.CommandLine.Parsing;
using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.Tool.Commands;

/// <summary>Options shared by several commands; a new instance for each, because an option belongs to its command.</summary>
internal static class CommandOptions
{
    private const double MaxSeconds = 24 * 60 * 60;

    public static Option<OutputFormat> Format() =>
        Choice<OutputFormat>("--format", "What to write: text for people, json for programs.", "-f");

    /// <summary>One of an enum's names, in any case; never its number. Defaults to the first.</summary>
    public static Option<T> Choice<T>(string name, string description, params string[] aliases)
        where T : struct, Enum
    {
        var names = NamesOf<T>();
        var option = new Option<T>(name, aliases)
        {
            Description = description,
            HelpName = string.Join('|', names),
            CustomParser = result => ParseChoice<T>(result, name, names),
        };
        Complete(option.CompletionSources, names);
        return option;
    }

    /// <summary>The same as an argument, which must be given.</summary>
    public static Argument<T> ChoiceArgument<T>(string name, string description)
        where T : struct, Enum
    {
        var names = NamesOf<T>();
        var argument = new Argument<T>(name)
        {
            Description = description,
            HelpName = string.Join('|', names),
            CustomParser = result => ParseChoice<T>(result, name, names),
        };
        Complete(argument.CompletionSources, names);
        return argument;
    }

    public static Option<string?> Root() => new("--root")
    {
        Description = "Another machine: a folder with sys and proc in it, or an archive made by 'numasharp snapshot'.",
        HelpName = "DIR|FILE",
    };

    /// <summary>CPUs or nodes in the kernel's list format; at least one.</summary>
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

            result.AddError($"{name} '{text}' is not a kernel list such as 0-3,8 with ids from 0 to {CpuSet.MaxId}.");
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

    /// <summary>A process id.</summary>
    public static Option<int?> ProcessId(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        CustomParser = result => (int)Parse(result, name, int.MaxValue, "", isWhole: true),
    };

    /// <summary>A whole number from 0; <see langword="null"/> if it is not given.</summary>
    public static Option<int?> Number(string name, int maximum, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        CustomParser = result => (int)Parse(result, name, maximum, "", isWhole: true, minimum: 0),
    };

    private static string[] NamesOf<T>()
        where T : struct, Enum => [.. Enum.GetNames<T>().Select(static value => value.ToLowerInvariant())];

    // Those of the enum, in its own case, are there already.
    private static void Complete(List<Func<CompletionContext, IEnumerable<CompletionItem>>> sources, string[] names)
    {
        sources.Clear();
        sources.Add(names);
    }

    private static T ParseChoice<T>(ArgumentResult result, string name, string[] names)
        where T : struct, Enum
    {
        var text = result.Tokens[0].Value;
        var index = Array.FindIndex(names, allowed => allowed.Equals(text, StringComparison.OrdinalIgnoreCase));
        if (index >= 0)
        {
            return Enum.GetValues<T>()[index];
        }

        result.AddError($"{name} = '{text}': allowed are {string.Join(", ", names[..^1])} and {names[^1]}.");
        return default;
    }

    private static double Parse(
        ArgumentResult result, string name, double maximum, string unit, bool isWhole, int minimum = 1)
    {
        var text = result.Tokens[0].Value;
        if (double.TryParse(text, isWhole ? NumberStyles.None : NumberStyles.Float, CultureInfo.InvariantCulture, out var value)
            && (isWhole ? value >= minimum : value > 0)
            && value <= maximum)
        {
            return value;
        }

        var from = isWhole ? $"a whole number from {minimum} to" : "more than 0 and at most";
        result.AddError($"{name} '{text}' must be {from} {maximum}{unit}.");
        return 0;
    }
}

/// <summary>The output of a command: for people, or for programs.</summary>
internal enum OutputFormat
{
    Text,
    Json,
}
