using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using NumaSharp.GuestProbe;
using NumaSharp.GuestProbe.Locality;
using NumaSharp.GuestProbe.ManagedHeap;
using NumaSharp.GuestProbe.Pressure;

namespace NumaSharp.GuestTests.Support;

/// <summary>Programs of the guest's image.</summary>
internal static class Child
{
    private const string ProbeProgram = "NumaSharp.GuestProbe.dll";
    private const string Numasharp = "NumaSharp.Tool.dll";

    // It does more than any other child, beside another guest that does it, too.
    private static readonly TimeSpan s_patienceForLocality = TimeSpan.FromMinutes(8);

    /// <summary>What the probe reports of its surroundings.</summary>
    /// <param name="arguments">The probe's.</param>
    /// <param name="cgroup">The folder of the cgroup that it starts in, if not in this process's.</param>
    public static async Task<ProbeReport> ProbeAsync(string[] arguments, string? cgroup = null) =>
        ReportOf<ProbeReport>(await RunAsync(ProbeProgram, arguments, cgroup));

    /// <summary>How much the probe finds on the right node.</summary>
    public static async Task<LocalityReport> MeasureLocalityAsync()
    {
        var start = StartInfoOf(ProbeProgram, [LocalityRows.Argument], cgroup: null);

        // A web application's own default, from which the guest's script keeps the others.
        return ReportOf<LocalityReport>(await TryAsync(start, [("DOTNET_gcServer", "1")]));
    }

    /// <summary>What the probe reports with settings in its environment.</summary>
    public static async Task<ProbeReport> ProbeWithAsync((string Name, string Value)[] environment) =>
        ReportOf<ProbeReport>(await TryAsync(StartInfoOf(ProbeProgram, [], cgroup: null), environment));

    /// <summary>What the pools of a host keep while memory is short in a cgroup.</summary>
    public static async Task<PressureReport> MeasurePressureAsync(string cgroup, params string[] arguments) =>
        ReportOf<PressureReport>(await TryAsync(StartInfoOf(ProbeProgram, [PressureProbe.Argument, .. arguments], cgroup), []));

    /// <summary>How much of the garbage collector's heap the probe finds on the right node.</summary>
    public static async Task<ManagedHeapReport> MeasureManagedHeapAsync((string Name, string Value)[] gcSettings) =>
        ReportOf<ManagedHeapReport>(
            await TryAsync(StartInfoOf(ProbeProgram, [ManagedHeapProbe.Argument], cgroup: null), gcSettings));

    /// <summary>The same of a process on each node with CPUs, all at once; by node.</summary>
    public static async Task<Dictionary<int, ManagedHeapReport>> MeasureManagedHeapPerNodeAsync(
        (string Name, string Value)[] gcSettings)
    {
        var probe = DotnetHost.Program(ProbeProgram, [ManagedHeapProbe.Argument]);
        string[] arguments = ["run", "--per-node", "--", probe.FileName, .. probe.ArgumentList];
        var child = await TryAsync(StartInfoOf(Numasharp, arguments, cgroup: null), gcSettings);
        Assert.True(child is { ExitCode: 0, Errors: "" }, $"numasharp run ended with {child.ExitCode}: {child.Errors}");

        // Each line begins with [node0] or the like.
        return child.OutputLines.Select(static line => line["[node".Length..].Split("] ", 2)).ToDictionary(
            static line => int.Parse(line[0], CultureInfo.InvariantCulture),
            static line => JsonSerializer.Deserialize<ManagedHeapReport>(line[1])!);
    }

    public static Task<ProgramResult> RunAsync(string assembly, string[] arguments, string? cgroup = null) =>
        StartOnAllCpus(() => ExternalProgram.TryAsync(StartInfoOf(assembly, arguments, cgroup)));

    /// <summary>Starts the playground's server, on a port that is free.</summary>
    public static Task<StartedApp> StartWebAsync(params string[] arguments) =>
        StartOnAllCpus(() => StartedApp.StartAsync("NumaSharp.Playground.Web.dll", [StartedApp.AnyPort, .. arguments]));

    private static Task<ProgramResult> TryAsync(ProcessStartInfo start, (string Name, string Value)[] environment)
    {
        foreach (var (name, value) in environment)
        {
            start.Environment[name] = value;
        }

        return StartOnAllCpus(() => ExternalProgram.TryAsync(start, patience: s_patienceForLocality));
    }

    /// <summary>
    /// Starts a process that may use every CPU: it inherits the mask of the thread that starts it, and a thread of the pool that
    /// was born while another test had CPUs offline lacks these for good.
    /// </summary>
    private static T StartOnAllCpus<T>(Func<T> start) => TestThreads.RunOn(TheMachine.AllCpus, start);

    private static T ReportOf<T>(ProgramResult child)
    {
        Assert.True(child is { ExitCode: 0, Errors: "" }, $"The probe ended with {child.ExitCode}: {child.Errors}");
        return JsonSerializer.Deserialize<T>(child.Output)!;
    }

    /// <summary>The shell enters the cgroup and becomes the program, so that no instruction of it runs outside.</summary>
    private static ProcessStartInfo StartInfoOf(string assembly, string[] arguments, string? cgroup)
    {
        var enter = cgroup is null ? "" : $"echo 0 > {cgroup}/cgroup.procs && ";
        var program = DotnetHost.Program(assembly, arguments);
        return new ProcessStartInfo("sh", ["-c", enter + "exec \"$@\"", "sh", program.FileName, .. program.ArgumentList]);
    }
}
