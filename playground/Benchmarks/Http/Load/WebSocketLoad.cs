using System.Reflection;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>WebSocket echo by our own client: no packaged load generator speaks it.</summary>
internal sealed record WebSocketLoad(int Connections, int MessageBytes) : ILoadGenerator
{
    public LoadFigures Figures => LoadFigures.Rate | LoadFigures.Percentiles;

    public TimeSpan Overhead => WebSocketLoadCommand.StartAndWarmUp;

    public (string Program, string Package)? Tool => null;

    public async Task<LoadResult> RunAsync(LoadTarget target, TimeSpan length, CancellationToken cancellation)
    {
        string[] arguments =
        [
            Assembly.GetExecutingAssembly().Location,
            .. WebSocketLoadCommand.Arguments(target.Ports.Http, Connections, MessageBytes, length),
        ];
        var output = await LoadProcess.RunAsync(Executables.DotnetHost, arguments, target.Cpu, length, cancellation);
        return LoadReport.Parse("WebSocket client", output).ToResult("WebSocket client", MessageBytes, Figures);
    }
}
