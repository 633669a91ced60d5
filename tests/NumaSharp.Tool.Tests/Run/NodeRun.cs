using NumaSharp.Core;
using NumaSharp.Tool.Run;

namespace NumaSharp.Tool.Tests.Run;

/// <summary>A supervisor in this process with real children that run shell scripts.</summary>
internal sealed class NodeRun : IDisposable
{
    public NodeRun(string script, SupervisorOptions? options = null, TimeProvider? time = null)
        : this(["sh", "-c", script], options, time)
    {
    }

    public NodeRun(IReadOnlyList<string> arguments, SupervisorOptions? options = null, TimeProvider? time = null)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "numasharp run needs Linux.");
        var path = CommandPath.Find(arguments[0], Environment.GetEnvironmentVariable("PATH"));
        Assert.NotNull(path);
        Supervisor = new Supervisor(
            new NodeCommand(Launcher, path, arguments),
            options ?? new SupervisorOptions { StopTimeout = Wait.Limit },
            new OutputLines(Output, Errors),
            time ?? TimeProvider.System);
    }

    public static string ToolPath { get; } = Path.Combine(AppContext.BaseDirectory, "NumaSharp.Tool.dll");

    public static LauncherProgram Launcher { get; } = new(DotnetHost.Path, [ToolPath]);

    /// <summary>A node of this machine that has memory.</summary>
    public static int MemoryNode { get; } = NumaTopology.Instance.MemoryNodes.First;

    public OutputProbe Output { get; } = new();

    public OutputProbe Errors { get; } = new();

    public Supervisor Supervisor { get; }

    /// <summary>A process on one CPU of this machine, as if that were a node.</summary>
    public static NodeProcess OnCpu(int nodeId, int cpu) => new(
        new(nodeId),
        CpuSet.FromIds(cpu),
        new(MemoryNode),
        NodeMemoryPolicy.Preferred,
        new Dictionary<string, string>(StringComparer.Ordinal)
        {
            ["NUMASHARP_NODE"] = $"{nodeId}",
            ["Numa__Transport__SharePort"] = "true",
        });

    /// <summary>Two nodes of one CPU each; the first memory node of this machine serves both.</summary>
    public static NodeProcess[] TwoNodes()
    {
        var cpus = NumaTopology.Instance.AllowedCpus;
        Assert.SkipWhen(cpus.Count < 2, $"Two processes on CPUs of their own need two CPUs; allowed are {cpus}.");
        return [OnCpu(0, cpus.First), OnCpu(1, cpus.Last)];
    }

    public static NodeProcess OneNode() => OnCpu(0, NumaTopology.Instance.AllowedCpus.First);

    public async Task<int> RunAsync(params NodeProcess[] nodes) =>
        await Supervisor.RunAsync(nodes).Within();

    public void Dispose()
    {
        Supervisor.Dispose();
        Output.Dispose();
        Errors.Dispose();
    }
}
