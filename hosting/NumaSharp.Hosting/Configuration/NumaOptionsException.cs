using System.Diagnostics;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Configuration;

/// <summary>
/// The settings are wrong. Its text is the failures alone: where in the host they were noticed helps nobody, and the host logs
/// the text of what kept it from starting.
/// </summary>
/// <param name="services">The services that the settings are of.</param>
/// <param name="failures">What is wrong.</param>
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
                // The host has ended, and its console with it: the logger is another one, which the application looks after.
            }
        }

        return Message;
    }

    /// <summary>Whether the console's logger has it, which a thread of its own writes: that is waited for.</summary>
    public bool EndLogging()
    {
        Array.ForEach(_consoles, static console => console.Dispose());
        return _consoles.Length > 0;
    }

    // Nothing else says whether a message came through the filters of that logger.
    private static bool IsReadByTheConsolesLogger() => new StackTrace().GetFrames().Any(static frame =>
        DiagnosticMethodInfo.Create(frame)?.DeclaringAssemblyName.StartsWith(
            "Microsoft.Extensions.Logging.Console,", StringComparison.Ordinal) == true);
}
