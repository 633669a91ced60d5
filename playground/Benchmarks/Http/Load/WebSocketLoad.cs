using System.Reflection;
using NumaSharp.Playground.Benchmarks.Processes;

namespace NumaSharp.Playground.Benchmarks.Http.Load;

/// <summary>WebSocket echo by our own client: no packaged load generator speaks it.</summary>
internal sealed record WebSocketLoad(int Connections, int MessageBytes) : ILoadGenerator
{
    public bool MeasuresLatency => true;

    public (string Program, string Package)? Tool => null;

    public async Task<LoadResult> RunAsync(LoadTarget target, int seconds, CancellationToken cancellation)
    {
        string[] arguments =
        [
            Assembly.GetExecutingAssembly().Location,
            .. WebSocketLoadCommand.Arguments(target.Ports.Http, Connections, MessageBytes, seconds),
        ];
        var output = await LoadProcess.RunAsync(Executables.DotnetHost, arguments, target.Cpu, seconds, cancellation);
        return LoadReport.Parse("WebSocket client", output).ToResult("WebSocket client", MessageBytes, MeasuresLatency);
    }
}
