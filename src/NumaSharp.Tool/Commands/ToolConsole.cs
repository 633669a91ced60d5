using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Spectre.Console;

namespace NumaSharp.Tool.Commands;

/// <summary>Where a command writes. Colours and live displays only where a terminal is behind it (no-color.org).</summary>
internal sealed class ToolConsole
{
    private const int MinWidth = 80;
    private const int MaxWidth = 200;
    private const int RedirectedWidth = 100;

    public ToolConsole(TextWriter output, TextWriter error, int? width = null)
    {
        Output = output;
        Error = error;
        Screen = CreateScreen(output, width);
        ErrorScreen = CreateScreen(error, width);
    }

    public TextWriter Output { get; }

    public TextWriter Error { get; }

    /// <summary>Widgets on stdout.</summary>
    public IAnsiConsole Screen { get; }

    /// <summary>Widgets on stderr: progress, which must not mix with the result.</summary>
    public IAnsiConsole ErrorScreen { get; }

    public void WriteJson<T>(T value, JsonTypeInfo<T> type) => Output.WriteLine(JsonSerializer.Serialize(value, type));

    private static IAnsiConsole CreateScreen(TextWriter writer, int? width)
    {
        var target = new AnsiConsoleOutput(writer);
        var noColour = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));
        var isPlain = noColour || !target.IsTerminal;
        var screen = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = target,
            Ansi = target.IsTerminal ? AnsiSupport.Detect : AnsiSupport.No,
            ColorSystem = isPlain ? ColorSystemSupport.NoColors : ColorSystemSupport.Detect,
            Interactive = target.IsTerminal ? InteractionSupport.Detect : InteractionSupport.No,
        });
        screen.Profile.Width = width ?? (target.IsTerminal ? Math.Min(target.Width, MaxWidth) : FindRedirectedWidth());
        return screen;
    }

    private static int FindRedirectedWidth() =>
        int.TryParse(
            Environment.GetEnvironmentVariable("COLUMNS"), NumberStyles.None, CultureInfo.InvariantCulture, out var columns)
            ? Math.Clamp(columns, MinWidth, MaxWidth)
            : RedirectedWidth;
}
