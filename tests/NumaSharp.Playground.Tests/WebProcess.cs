using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace NumaSharp.Playground.Tests;

/// <summary>The web app as a user starts it, in a process of its own.</summary>
internal sealed partial class WebProcess : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(120);

    private readonly Process _process;
    private readonly List<string> _output = [];
    private readonly TaskCompletionSource _started = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private WebProcess(Process process) => _process = process;

    public int Id => _process.Id;

    public bool IsRunning => !_process.HasExited;

    /// <summary>The addresses that it says it listens on.</summary>
    public Uri[] Addresses
    {
        get
        {
            lock (_output)
            {
                return
                [
                    .. _output.SelectMany(static line => ListeningOn().Matches(line))
                        .Select(static match => new Uri(match.Groups["address"].Value)),
                ];
            }
        }
    }

    public static async Task<WebProcess> StartAsync(string arguments, int? descriptorLimit = null)
    {
        var web = Create(arguments, descriptorLimit);
        await Task.WhenAny(web._started.Task, web._process.WaitForExitAsync()).WaitAsync(s_patience);
        Assert.True(web._started.Task.IsCompletedSuccessfully, $"It did not start: {web.Text}");
        return web;
    }

    /// <summary>Runs it to an end that must come by itself.</summary>
    public static async Task<(int ExitCode, string[] Errors)> RunAsync(string arguments)
    {
        await using var web = Create(arguments, null, readErrors: false);
        var errors = await web._process.StandardError.ReadToEndAsync().WaitAsync(s_patience);
        await web._process.WaitForExitAsync().WaitAsync(s_patience);
        return (web._process.ExitCode, errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
    }

    /// <summary>Asks it to stop, as a service manager does.</summary>
    public async Task<int> TerminateAsync()
    {
        using var kill = Process.Start("kill", ["-TERM", Id.ToString(CultureInfo.InvariantCulture)]);
        await _process.WaitForExitAsync().WaitAsync(s_patience);
        return _process.ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            await _process.WaitForExitAsync();
        }

        _process.Dispose();
    }

    private string Text
    {
        get
        {
            lock (_output)
            {
                return string.Join('\n', _output);
            }
        }
    }

    private static WebProcess Create(string arguments, int? descriptorLimit, bool readErrors = true)
    {
        // The shell sets the limit and becomes the app, so that its process id is the app's.
        var limit = descriptorLimit is { } count ? string.Create(CultureInfo.InvariantCulture, $"ulimit -n {count}; ") : "";
        var app = Path.Combine(AppContext.BaseDirectory, "NumaSharp.Playground.Web.dll");
        var process = new Process
        {
            StartInfo = new ProcessStartInfo("sh", ["-c", $"{limit}exec '{DotnetHost.Path}' '{app}' {arguments}"])
            {
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            },
        };
        var web = new WebProcess(process);
        process.OutputDataReceived += (_, args) => web.OnLine(args.Data);
        process.Start();
        process.BeginOutputReadLine();
        if (readErrors)
        {
            process.ErrorDataReceived += (_, args) => web.OnLine(args.Data);
            process.BeginErrorReadLine();
        }

        return web;
    }

    [GeneratedRegex(@"Now listening on: (?<address>http\S+)", RegexOptions.ExplicitCapture, 1000)]
    private static partial Regex ListeningOn();

    private void OnLine(string? line)
    {
        if (line is null)
        {
            return;
        }

        lock (_output)
        {
            _output.Add(line);
        }

        if (line.Contains("Application started.", StringComparison.Ordinal))
        {
            _started.TrySetResult();
        }
    }
}
