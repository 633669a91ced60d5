using NumaSharp.Core;
using NumaSharp.Hosting.Tests.Support;

namespace NumaSharp.Hosting.Tests.Starting;

/// <summary>A real process that serves requests while its CPUs are taken away and given back from outside.</summary>
public sealed class ChangeFromOutsideTests
{
    private const string PollOften = "--Numa:Topology:PollInterval=20ms";

    private readonly CpuSet _both;
    private readonly CpuSet _first;
    private readonly CpuSet _second;

    public ChangeFromOutsideTests()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "Affinity from outside needs Linux.");
        int[] cpus = [.. NumaTopology.Instance.Nodes.MaxBy(static node => node.Cpus.Count)!.Cpus.Take(2)];
        Assert.SkipUnless(cpus.Length == 2, "This needs two CPUs of a node.");
        (_both, _first, _second) = (CpuSet.FromIds(cpus), CpuSet.FromIds(cpus[0]), CpuSet.FromIds(cpus[1]));
    }

    [Fact]
    public async Task Affinity_TwoCpusThenOneThenTwo_ThreadsFollowAndEveryRequestIsAnswered()
    {
        await using var app = await StartAsync(PollOften, $"--Numa:Binding:Cpus={_both}");
        ThreadMasks.WaitFor(app.Id, _both);
        using var load = new RequestLoad(app.Address, "served");
        for (var round = 0; round < 3; round++)
        {
            load.WaitForAnswers(100);
            ThreadMasks.SetAll(app.Id, _first);
            await app.Program.WaitForLineAsync($"The machine has changed: CPUs {_second} gone; ", round + 1);
            load.WaitForAnswers(100);
            ThreadMasks.SetAll(app.Id, _both);
            await app.Program.WaitForLineAsync($"The machine has changed: CPUs {_second} new; ", round + 1);
            ThreadMasks.WaitFor(app.Id, _both);
        }

        load.WaitForAnswers(100);
        await load.StopAsync();
    }

    [Fact]
    public async Task Affinity_CpusOfThePlanAreTakenAway_ThreadsMoveAndComeBack()
    {
        await using var app = await StartAsync(PollOften, $"--Numa:Binding:Cpus={_first}");
        ThreadMasks.WaitFor(app.Id, _first);
        using var load = new RequestLoad(app.Address, "served");
        ThreadMasks.SetAll(app.Id, _second);
        await app.Program.WaitForLineAsync("NUMA topology.request: ");
        load.WaitForAnswers(100);
        ThreadMasks.WaitFor(app.Id, _second);

        ThreadMasks.SetAll(app.Id, _both);
        ThreadMasks.WaitFor(app.Id, _first);
        load.WaitForAnswers(100);
        await load.StopAsync();
    }

    [Fact]
    public async Task Affinity_AllMasksRewrittenAlike_ThreadsPinThemselvesAgain()
    {
        await using var app = await StartAsync(PollOften, $"--Numa:Binding:Cpus={_first}");
        ThreadMasks.SetAll(app.Id, _both);
        ThreadMasks.WaitFor(app.Id, _first);
        ThreadMasks.SetAll(app.Id, _both);
        ThreadMasks.WaitFor(app.Id, _first);
        Assert.DoesNotContain("The machine has changed", app.Program.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Cpuset_ShrinksAndGrows_ThreadsFollowAndEveryRequestIsAnswered()
    {
        var cpuset = CpusetVersion1.TryCreate(out var reason);
        Assert.SkipWhen(cpuset is null, reason);
        using var made = cpuset;
        made.SetCpus($"{_both}");
        await using var app = await StartAsync(PollOften, $"--Numa:Binding:Cpus={_both}");
        made.Add(app.Id);
        using var load = new RequestLoad(app.Address, "served");
        for (var round = 0; round < 3; round++)
        {
            made.SetCpus($"{_second}");
            await app.Program.WaitForLineAsync($"The machine has changed: CPUs {_first} gone; ", round + 1);
            ThreadMasks.WaitFor(app.Id, _second);
            load.WaitForAnswers(100);
            made.SetCpus($"{_both}");
            await app.Program.WaitForLineAsync($"The machine has changed: CPUs {_first} new; ", round + 1);
            ThreadMasks.WaitFor(app.Id, _both);
            load.WaitForAnswers(100);
        }

        await load.StopAsync();
    }

    // On a machine with more CPUs, too, it knows of these two alone: it inherits the mask of the thread that starts it.
    private Task<StartedApp> StartAsync(params string[] arguments) => TestThreads.RunOn(
        _both, () => StartedApp.StartAsync("NumaSharp.StartApp.dll", ["web", .. arguments]));
}
