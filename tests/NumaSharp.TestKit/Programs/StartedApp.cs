using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace NumaSharp.TestKit;

/// <summary>A web application in a process of its own, as a user starts it. Disposing of it kills it.</summary>
public sealed partial class StartedApp : IAsyncDisposable
{
    // Of every host: how many seconds a stop waits for requests.
    private const string ShutdownTimeout = "DOTNET_SHUTDOWNTIMEOUTSECONDS";

    /// <summary>The argument for a port that is free.</summary>
    public const string AnyPort = "--urls=http://127.0.0.1:0";

    private StartedApp(ExternalProgram program) => Program = program;

    public ExternalProgram Program { get; }

    public int Id => Program.Id;

    /// <summary>The addresses that it says it listens on.</summary>
    public IReadOnlyList<Uri> Addresses =>
        [.. ListeningOn().Matches(Program.Output).Select(static match => new Uri(match.Groups["address"].Value))];

    /// <summary>The only one.</summary>
    public Uri Address => Assert.Single(Addresses);

    /// <summary>Starts an assembly that lies beside the tests, and waits until it serves.</summary>
    public static Task<StartedApp> StartAsync(string assembly, params string[] arguments) =>
        StartAsync(DotnetHost.Program(assembly, arguments));

    /// <summary>Starts a program whose host logs to the console, and waits until it serves.</summary>
    public static async Task<StartedApp> StartAsync(ProcessStartInfo start)
    {
        ArgumentNullException.ThrowIfNull(start);
        start.Environment[ShutdownTimeout] = Wait.Limit.TotalSeconds.ToString(CultureInfo.InvariantCulture);
        return new(await ExternalProgram.StartAsync(start, "Application started."));
    }

    /// <summary>Asks it to stop, as a service manager does.</summary>
    /// <returns>Its exit code.</returns>
    public async Task<int> TerminateAsync()
    {
        await Program.SignalAsync("TERM");
        return await Program.WaitForEndAsync();
    }

    public ValueTask DisposeAsync() => Program.DisposeAsync();

    [GeneratedRegex(@"Now listening on: (?<address>http\S+)", RegexOptions.ExplicitCapture, Timeout.Infinite)]
    private static partial Regex ListeningOn();
}
