using System.Collections.ObjectModel;
using Microsoft.Extensions.Options;

namespace NumaSharp.Hosting.Settings;

/// <summary>
/// Ends a process with wrong settings, if the exception that reports them was not caught, with exit code 1 instead of a stack
/// trace and an abort, and with the failures on stderr unless the console logger has written them. See
/// docs/decisions/0002-bad-settings.md.
/// </summary>
internal static class RefusedStart
{
    private const int ExitCode = 1;

    private static int s_watching;

    /// <summary>
    /// Creates the exception to throw. The rest takes effect only if it ends the process. The handler is added at the first
    /// failure, so that a process with valid settings has none, and other handlers (crash reporters) run before it.
    /// </summary>
    public static NumaOptionsException Because(IServiceProvider services, IEnumerable<string> failures)
    {
        if (Interlocked.Exchange(ref s_watching, 1) == 0)
        {
            AppDomain.CurrentDomain.UnhandledException += static (_, args) => OnUnhandled(args.ExceptionObject);
        }

        return new NumaOptionsException(services, failures);
    }

    /// <summary>The lines to print for an exception; none if it is not only about settings.</summary>
    public static IReadOnlyList<string> LinesFor(object exception) => exception switch
    {
        NumaOptionsException refused => [.. refused.Failures],
        // Several options classes of the application are wrong at once.
        AggregateException { InnerExceptions: var all } when IsAboutSettings(all) =>
            [.. all.Cast<OptionsValidationException>().SelectMany(static inner => inner.Failures)],
        _ => [],
    };

    private static bool IsAboutSettings(ReadOnlyCollection<Exception> exceptions) =>
        exceptions.All(static inner => inner is OptionsValidationException)
        && exceptions.Any(static inner => inner is NumaOptionsException);

    // A log entry contains the complete message.
    private static bool IsOnTheConsole(object exception) => exception switch
    {
        NumaOptionsException refused => refused.EndLogging(),
        AggregateException all => all.InnerExceptions.OfType<NumaOptionsException>().Any(static refused => refused.EndLogging()),
        _ => false,
    };

    private static void OnUnhandled(object exception)
    {
        var lines = LinesFor(exception);
        if (lines.Count == 0)
        {
            return;
        }

        if (!IsOnTheConsole(exception))
        {
            foreach (var line in lines)
            {
                Console.Error.WriteLine(line);
            }
        }

        Environment.Exit(ExitCode);
    }
}
