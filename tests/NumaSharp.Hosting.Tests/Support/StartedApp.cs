using System.Collections.Concurrent;
using System.Diagnostics;

namespace NumaSharp.Hosting.Tests.Support;

/// <summary>The program of a service author in a process of its own, that listens.</summary>
internal sealed class StartedApp : IAsyncDisposable
{
    /// <summary>The argument for that.</summary>
    public const string AnyPort = "--urls=http://127.0.0.1:0";

    private readonly Process _process;
    private readonly ConcurrentQueue<string> _output = new();
    private readonly TaskCompletionSource<Uri> _listening = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private StartedApp(string program, params string[] arguments)
    {
        _process = new Process
        {
            StartInfo = new ProcessStartInfo(program, arguments)
            {
                WorkingDirectory = AppContext.BaseDirectory,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            },
        };
        _process.OutputDataReceived += (_, line) => OnLine(line.Data);
        _process.ErrorDataReceived += (_, line) => OnLine(line.Data);
        _process.Start();
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
    }

    public int Id => _process.Id;

    public Uri Address => _listening.Task.Result;

    /// <summary>What it has written so far.</summary>
    public string Output => string.Join('\n', _output);

    /// <summary>One of those beside the tests, which take the argument for the port.</summary>
    public static Task<StartedApp> StartAsync(string name, params string[] arguments) =>
        StartProgramAsync(DotnetHost.Path, [name, .. arguments, AnyPort]);

    /// <summary>Another program.</summary>
    public static async Task<StartedApp> StartProgramAsync(string program, params string[] arguments)
    {
        var app = new StartedApp(program, arguments);
        try
        {
            await app._listening.Task.WaitAsync(TimeSpan.FromSeconds(60), TestContext.Current.CancellationToken);
            return app;
        }
        catch (TimeoutException)
        {
            await app.DisposeAsync();
            throw new InvalidOperationException($"It does not listen: {app.Output}");
        }
    }

    public async ValueTask DisposeAsync()
    {
        _process.Kill(entireProcessTree: true);
        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    private void OnLine(string? line)
    {
        const string Listening = "Now listening on: ";
        if (line is null)
        {
            return;
        }

        _output.Enqueue(line);
        if (line.IndexOf(Listening, StringComparison.Ordinal) is >= 0 and var at)
        {
            _listening.TrySetResult(new Uri(line[(at + Listening.Length)..].Trim()));
        }
    }
}
