using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Configuration;

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
