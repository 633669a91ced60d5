using System.CommandLine;
using NumaSharp.Core;

namespace NumaSharp.Tool.Commands;

/// <summary>The command or option that a word was probably meant to be.</summary>
internal static class Suggestion
{
    /// <summary>A sentence with a space before it; empty if nothing is similar.</summary>
    public static string For(string word, Command command) =>
        Spelling.Nearest(word.Split('=')[0], NamesOf(command)) is { } nearest ? $" Did you mean '{nearest}'?" : "";

    private static IEnumerable<string> NamesOf(Command command) =>
    [
        .. command.Subcommands.Select(static sub => sub.Name),
        .. command.Options.Select(static option => option.Name),
    ];
}
