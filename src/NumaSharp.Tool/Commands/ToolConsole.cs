using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Spectre.Console;

namespace NumaSharp.Tool.Commands;

/// <summary>The output of a command. Colours and live displays only on a terminal (no-color.org).</summary>
internal sealed class ToolConsole
{
    /// <summary>Narrower screens show less side by side.</summary>
    public const int UsualWidth = 80;

    private const int MinWidth = 20;
    private const int MaxWidth = 200;
    private const int RedirectedWidth = 100;
    private const string Lines = "\u256d\u2502\u2588";

    /// <summary>Creates a console.</summary>
    /// <param name="output">Results.</param>
    /// <param name="error">Progress and errors.</param>
    /// <param name="width">Columns; by default the terminal's, or those of the environment if there is no terminal.</param>
    /// <param name="isAscii">Whether to draw lines in ASCII, whatever the writers support.</param>
    public ToolConsole(TextWriter output, TextWriter error, int? width = null, bool isAscii = false)
    {
        Output = output;
        Error = error;
        Screen = CreateScreen(output, width, isAscii);
        ErrorScreen = CreateScreen(error, width, isAscii);
    }

    public TextWriter Output { get; }

    public TextWriter Error { get; }

    /// <summary>Widgets on stdout.</summary>
    public IAnsiConsole Screen { get; }

    /// <summary>Widgets on stderr: progress, which must not mix with the result.</summary>
    public IAnsiConsole ErrorScreen { get; }

    public void WriteJson<T>(T value, JsonTypeInfo<T> type) => Output.WriteLine(JsonSerializer.Serialize(value, type));

    private static IAnsiConsole CreateScreen(TextWriter writer, int? width, bool isAscii)
    {
        var target = new AnsiConsoleOutput(writer);
        var isPlain = !target.IsTerminal || !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));
        var screen = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = target,
            Ansi = isPlain ? AnsiSupport.No : AnsiSupport.Detect,
            ColorSystem = isPlain ? ColorSystemSupport.NoColors : ColorSystemSupport.Detect,
            Interactive = isPlain ? InteractionSupport.No : InteractionSupport.Detect,

            // The default enrichers turn escapes on for some CI services, also in files.
            Enrichment = new ProfileEnrichment { UseDefaultEnrichers = false },
        });
        screen.Profile.Width = width ?? (target.IsTerminal
            ? Math.Clamp(target.Width, MinWidth, MaxWidth)
            : FindRedirectedWidth());
        screen.Profile.Capabilities.Unicode = !isAscii && HasLines(writer.Encoding);
        return screen;
    }

    private static bool HasLines(Encoding encoding) => encoding.GetString(encoding.GetBytes(Lines)) == Lines;

    private static int FindRedirectedWidth() =>
        int.TryParse(
            Environment.GetEnvironmentVariable("COLUMNS"), NumberStyles.None, CultureInfo.InvariantCulture, out var columns)
            ? Math.Clamp(columns, MinWidth, MaxWidth)
            : RedirectedWidth;
}

/// <summary>Borders of characters that the screen can show: the library's own fallbacks are not ASCII.</summary>
internal static class Borders
{
    public static TableBorder OfTable(Profile profile) => profile.Capabilities.Unicode ? TableBorder.Rounded : TableBorder.Ascii2;

    public static TableBorder OfMatrix(Profile profile) =>
        profile.Capabilities.Unicode ? TableBorder.Minimal : TableBorder.Ascii2;

    public static BoxBorder OfBox(Profile profile) => profile.Capabilities.Unicode ? BoxBorder.Rounded : BoxBorder.Ascii;
}

/// <summary>The character settings of the environment (locale(7)).</summary>
internal static class Locale
{
    /// <summary>
    /// Whether the C locale, which is ASCII only, is set explicitly. An unset locale, as in containers, does not count.
    /// </summary>
    public static bool IsC => new List<string> { "LC_ALL", "LC_CTYPE", "LANG" }
        .Select(Environment.GetEnvironmentVariable)
        .FirstOrDefault(static value => !string.IsNullOrEmpty(value)) is "C" or "POSIX";
}
