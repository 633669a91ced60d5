using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Microsoft.Extensions.Options;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Settings;

/// <summary>
/// The settings are wrong. Its text contains only the failures: the place in the host that noticed them is of no use, and the
/// host logs the text of an exception that stops its start.
/// </summary>
/// <param name="services">The services that the settings belong to.</param>
/// <param name="failures">The failures.</param>
internal sealed class NumaOptionsException(IServiceProvider services, IEnumerable<string> failures)
    : OptionsValidationException(Options.DefaultName, typeof(NumaOptions), failures)
{
    private ConsoleLoggerProvider[] _consoles = [];

    public override string Message => string.Join(Environment.NewLine, Failures);

    public override string ToString()
    {
        if (IsReadByTheConsolesLogger())
        {
            try
            {
                _consoles = [.. services.GetServices<ILoggerProvider>().OfType<ConsoleLoggerProvider>()];
            }
            catch (ObjectDisposedException)
            {
                // The host has ended, and its console logger with it: this is another logger, owned by the application.
            }
        }

        return Message;
    }

    /// <summary>Whether the console logger has the message; waits for its background thread to write it.</summary>
    public bool EndLogging()
    {
        Array.ForEach(_consoles, static console => console.Dispose());
        return _consoles.Length > 0;
    }

    // There is no other sign that a message passed that logger's filters.
    private static bool IsReadByTheConsolesLogger() => new StackTrace().GetFrames().Any(static frame =>
        DiagnosticMethodInfo.Create(frame)?.DeclaringAssemblyName.StartsWith(
            "Microsoft.Extensions.Logging.Console,", StringComparison.Ordinal) == true);
}

/// <summary>An invalid setting.</summary>
/// <param name="Path">The key below the section, such as <c>Transport:Backlog</c>; empty for the section itself.</param>
/// <param name="Value">Its value as text.</param>
/// <param name="Reason">The allowed values, or what is wrong.</param>
internal sealed record SettingFailure(string Path, string Value, string Reason)
{
    /// <summary>The value of a key that holds an object or an array.</summary>
    public const string Structure = "...";

    public static IEnumerable<SettingFailure> From(NumaSettingException exception) =>
        exception.Problems.Select(static problem => new SettingFailure(problem.Key, problem.Value, problem.Reason));

    /// <summary>The failure as one line.</summary>
    /// <param name="key">The full key.</param>
    /// <param name="source">The source of the value, if known.</param>
    public string ToText(string key, string? source) =>
        $"{key} = '{Printable(Value)}'{(source is null ? "" : $" ({Printable(source)})")}: {Reason}";

    // One line per error, whatever the value contains; code may have set null.
    private static string Printable(string? value) =>
        string.Concat((value ?? "").Select(static c => char.IsControl(c) ? '?' : c));
}
