using Microsoft.Extensions.Options;
using NumaSharp.Playground.Web.Addresses;
using NumaSharp.Playground.Web.Endpoints;

namespace NumaSharp.Playground.Web.Starting;

internal static class RunExtensions
{
    /// <summary>Runs until SIGINT or SIGTERM, lets requests finish, and returns the exit code of the process.</summary>
    public static async Task<int> RunToExitCodeAsync(this WebApplicationBuilder builder, WebAddressOptions addresses)
    {
        using var startLog = new StartLog();
        builder.Services.AddSingleton<IPostConfigureOptions<LoggerFilterOptions>>(startLog);
        builder.Services.AddSingleton<IOptionsChangeTokenSource<LoggerFilterOptions>>(startLog);
        await using var app = builder.Build();
        app.MapPlayground();
        try
        {
            await app.StartAsync();
        }
        catch (OperationCanceledException) when (app.Lifetime.ApplicationStopping.IsCancellationRequested)
        {
            return 0; // Asked to stop before it was up.
        }
        catch (Exception exception)
        {
            var lines = StartFailure.Explain(exception, addresses);
            if (lines.Count == 0)
            {
                throw;
            }

            foreach (var line in lines)
            {
                await Console.Error.WriteLineAsync(line);
            }

            return StartFailure.ExitCode;
        }

        startLog.End();
        await app.WaitForShutdownAsync();
        return 0;
    }
}
