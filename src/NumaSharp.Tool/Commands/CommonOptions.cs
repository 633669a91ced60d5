using System.CommandLine;

namespace NumaSharp.Tool.Commands;

/// <summary>Options that several commands have; a new one for each, because an option belongs to its command.</summary>
internal static class CommonOptions
{
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
}
