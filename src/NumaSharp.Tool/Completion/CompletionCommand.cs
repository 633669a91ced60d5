using System.CommandLine;
using System.Globalization;
using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Completion;

/// <summary><c>numasharp completion</c>: what a shell reads to complete this command's words.</summary>
internal static class CompletionCommand
{
    private const string Directive = "[suggest:";

    // The words come from the parser: its directive [suggest:N] gets the line and the cursor's position, and answers all words
    // that have the beginning of this one anywhere.
    private const string Bash =
        """
        _numasharp() {
            local found=$(numasharp "[suggest:$COMP_POINT]" "$COMP_LINE" 2>/dev/null)
            mapfile -t COMPREPLY < <(compgen -W "$found" -- "${COMP_WORDS[COMP_CWORD]}")
        }
        complete -o bashdefault -o default -F _numasharp numasharp
        """;

    private const string Zsh =
        """
        #compdef numasharp
        _numasharp() {
            local line="${(j: :)words[1,CURRENT]}"
            local -a found
            found=("${(@f)$(numasharp "[suggest:${#line}]" "$line" 2>/dev/null)}")
            compadd -a found || _files
        }
        compdef _numasharp numasharp
        """;

    private const string Fish =
        """
        function __numasharp_words
            set -l line (commandline -cp | string collect)
            numasharp "[suggest:"(string length -- $line)"]" $line 2>/dev/null
        end
        complete -c numasharp -a '(__numasharp_words)'
        """;

    /// <summary>
    /// What the parser gets: it cannot complete a value behind <c>=</c>, and does not expect that a position is no number.
    /// </summary>
    /// <exception cref="ToolException">It is none.</exception>
    public static IReadOnlyList<string> ArgumentsOf(string[] args)
    {
        if (args is not [var directive, ..] || !directive.StartsWith(Directive, StringComparison.Ordinal))
        {
            return args;
        }

        return directive.EndsWith(']') && int.TryParse(
            directive.AsSpan(Directive.Length, directive.Length - Directive.Length - 1),
            NumberStyles.None,
            CultureInfo.InvariantCulture,
            out _)
                ? [directive, .. args.Skip(1).Select(static line => line.Replace('=', ' '))]
                : throw new ToolException($"'{directive}' must be {Directive}N], with the cursor's position in the line as N.");
    }

    public static Command Create(ToolConsole console)
    {
        var shell = CommandOptions.ChoiceArgument<Shell>("shell", "The shell that reads it.");
        var command = new Command("completion", "Writes a script with which a shell completes this command's words.") { shell };
        command.SetAction(result => console.Output.WriteLine(result.GetValue(shell) switch
        {
            Shell.Zsh => Zsh,
            Shell.Fish => Fish,
            _ => Bash,
        }));
        return command;
    }
}

/// <summary>A shell that can be completed.</summary>
internal enum Shell
{
    Bash,
    Zsh,
    Fish,
}
