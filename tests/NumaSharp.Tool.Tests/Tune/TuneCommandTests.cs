using NumaSharp.Tool.Commands;

namespace NumaSharp.Tool.Tests.Tune;

/// <summary>The command for a machine whose card has four queues and is on node 1.</summary>
public sealed class TuneCommandTests : IDisposable
{
    private readonly MachineTree _tree = MachineTree.TwoNodes()
        .NetworkDevice("eth0", "1")
        .NetworkQueues(
            "eth0", receives: 4, sends: 4, firstInterrupt: 40,
            "eth0", "eth0-TxRx-0", "eth0-TxRx-1", "eth0-TxRx-2", "eth0-TxRx-3");

    public void Dispose() => _tree.Dispose();

    [Fact]
    public async Task Script_ForTwoNodes_IsACommandForEachSetting()
    {
        _tree.Write("proc/irq/44/smp_affinity_list", "1\n").Write("sys/class/net/eth0/queues/tx-3/xps_cpus", "0a\n");
        var lines = (await Run("--script")).Output.TrimEnd('\n').Split('\n');
        Assert.Equal("#!/bin/sh", lines[0]);
        Assert.Equal(
            [
                "interrupt eth0-TxRx-0 4",
                "interrupt eth0-TxRx-1 5",
                "interrupt eth0-TxRx-2 0",
                "interrupt eth0-TxRx-3 1",
                "echo 00000050 > /sys/class/net/eth0/queues/tx-0/xps_cpus",
                "echo 000000a0 > /sys/class/net/eth0/queues/tx-1/xps_cpus",
                "echo 00000005 > /sys/class/net/eth0/queues/tx-2/xps_cpus",
                "echo 0000000a > /sys/class/net/eth0/queues/tx-3/xps_cpus",
            ],
            lines[^8..]);
        Assert.Contains("6 of 8 settings differ", (await Run()).Output, StringComparison.Ordinal);
    }

    // A shell runs it, with files of this test in place of the kernel's.
    [Fact]
    public async Task Script_RunByAShell_SetsWhatTheInterruptsAreCalled()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "It is a script for Linux.");
        var script = (await Run("--script")).Output
            .Replace(" /sys/", $" {_tree.PathOf("sys")}/", StringComparison.Ordinal)
            .Replace("#/sys/", $"#{_tree.PathOf("sys")}/", StringComparison.Ordinal)
            .Replace("\"/proc/", $"\"{_tree.PathOf("proc")}/", StringComparison.Ordinal);
        _tree.Write("script", script);
        await ExternalProgram.RunAsync("sh", _tree.PathOf("script"));
        Assert.Equal("5\n", await File.ReadAllTextAsync(
            _tree.PathOf("proc/irq/42/smp_affinity_list"), TestContext.Current.CancellationToken));
        Assert.Contains("Nothing to change", (await Run()).Output, StringComparison.Ordinal);

        _tree.Write("sys/kernel/irq/42/actions", "\n");
        var failed = await ExternalProgram.TryAsync("sh", _tree.PathOf("script"));
        Assert.Equal((1, "There is no interrupt eth0-TxRx-1."), (failed.ExitCode, failed.Errors.TrimEnd()));
    }

    [Fact]
    public async Task Text_ForTwoNodes_SaysWhatBecomesOfEachQueue()
    {
        var run = await Run();
        Assert.Contains("0-7 -> 4", run.Output, StringComparison.Ordinal);
        Assert.Contains("none -> 4,6", run.Output, StringComparison.Ordinal);
        Assert.Contains("8 of 8 settings differ", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Json_ForTwoNodes_HasQueuesAndChanges()
    {
        var json = (await Run("--format", "json")).Json;
        var queue = json.GetProperty("receives")[2];
        Assert.Equal(("eth0", 2, 43, 0), (
            queue.GetProperty("interface").GetString(),
            queue.GetProperty("queue").GetInt32(),
            queue.GetProperty("interrupt").GetInt32(),
            queue.GetProperty("cpu").GetInt32()));
        Assert.Equal("0-7", queue.GetProperty("cpusNow").GetString());
        Assert.Equal(8, json.GetProperty("changes").GetArrayLength());
        Assert.Equal("proc/irq/41/smp_affinity_list", json.GetProperty("changes")[0].GetProperty("name").GetString());
        Assert.Equal("0,2", json.GetProperty("sends")[2].GetProperty("cpus").GetString());
        Assert.Equal("eth0-TxRx-0", json.GetProperty("changes")[0].GetProperty("interrupt").GetString());
        Assert.False(json.GetProperty("changes")[0].TryGetProperty("isSet", out _));
        Assert.Empty(json.GetProperty("notes").EnumerateArray());
    }

    // The machine's archive is enough on another machine.
    [Fact]
    public async Task Script_FromASnapshot_IsTheSame()
    {
        _tree.Write("proc/sys/net/core/rps_sock_flow_entries", "0\n");
        using var folder = new TemporaryFolder();
        var archive = folder.PathOf("machine.tar.gz");
        await ToolRun.Of("snapshot", "--root", _tree.PathOf(""), "--output", archive);
        var run = await ToolRun.Of("tune", "--root", archive, "--script", "--rps", "--rfs", "64");
        Assert.Equal((await Run("--script", "--rps", "--rfs", "64")).Output, run.Output);
        Assert.Contains("rps_flow_cnt", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Script_LoopsOfOneNode_BringsAllQueuesThere()
    {
        var run = await Run("--script", "--Numa:Binding:NetworkDevice=eth0");
        Assert.Contains("interrupt eth0-TxRx-3 7", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Script_SpreadAndFlows_StayOnTheQueuesNode()
    {
        _tree.Write("proc/sys/net/core/rps_sock_flow_entries", "0\n");
        var run = await Run("--script", "--rps", "--rfs", "1024");
        Assert.Contains("echo 00000050 > /sys/class/net/eth0/queues/rx-0/rps_cpus", run.Output, StringComparison.Ordinal);
        Assert.Contains("echo 256 > /sys/class/net/eth0/queues/rx-3/rps_flow_cnt", run.Output, StringComparison.Ordinal);
        Assert.Contains("echo 1024 > /proc/sys/net/core/rps_sock_flow_entries", run.Output, StringComparison.Ordinal);
        run = await Run("--script", "--rfs", "2");
        Assert.Contains("echo 1 > /sys/class/net/eth0/queues/rx-3/rps_flow_cnt", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_SpreadThatLeavesTheNode_IsNotedAndLeft()
    {
        _tree.Write("sys/class/net/eth0/queues/rx-0/rps_cpus", "3c\n").Write("sys/class/net/eth0/queues/rx-2/rps_cpus", "0c\n");
        var run = await Run("--script");
        Assert.DoesNotContain("rps_cpus", run.Output, StringComparison.Ordinal);
        Assert.Contains("queue 0 of eth0 spreads its packets", run.ErrorLine, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Script_Coalescing_ComesFirst()
    {
        var run = await Run("--script", "--adaptive-rx", "off", "--rx-usecs", "8");
        Assert.Contains(
            "}\nethtool -C eth0 adaptive-rx off || [ $? = 80 ] # 80: it is set\n"
            + "ethtool -C eth0 rx-usecs 8 || [ $? = 80 ] # 80: it is set\ninterrupt eth0-TxRx-0 4\n",
            run.Output,
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_TrafficClasses_LeavesTheirCpus()
    {
        const string Queues = "sys/class/net/eth0/queues";
        _tree.Write($"{Queues}/tx-0/traffic_class", "0\n").Write($"{Queues}/tx-3/traffic_class", "1\n");
        var run = await Run("--script");
        Assert.DoesNotContain("xps_cpus", run.Output, StringComparison.Ordinal);
        Assert.Contains("mqprio", run.ErrorLine, StringComparison.Ordinal);
    }

    // Ports of one function, such as those of a switch in the card.
    [Fact]
    public async Task Run_TwoInterfacesOfTheSameInterrupts_TunesOne()
    {
        _tree.Link("sys/class/net/eth0r", _tree.PathOf("sys/class/net/eth0"));
        var run = await Run();
        Assert.Contains("eth0r cannot be tuned: it has the interrupts of eth0", run.Output, StringComparison.Ordinal);
        Assert.Contains("8 of 8 settings differ", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Script_LoopsThatPollTheDevice_DefersItsInterruptsUnlessThatIsSet()
    {
        string[] polling = ["--script", "--Numa:Transport:EpollBusyPoll=50us", "--Numa:Transport:EpollPreferBusyPoll=true"];
        _tree.Write("sys/class/net/eth0/napi_defer_hard_irqs", "0\n").Write("sys/class/net/eth0/gro_flush_timeout", "50000\n");
        var run = await Run(polling);
        Assert.Contains("echo 2 > /sys/class/net/eth0/napi_defer_hard_irqs", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("gro_flush_timeout", run.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("napi_defer", (await Run("--script")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_QueuesThatCannotBeToldApart_AreNotedOrRefusedByName()
    {
        _tree.NetworkDevice("odd0", "0").NetworkQueues("odd0", receives: 2, sends: 2, firstInterrupt: 60, "odd", "odd");
        var run = await Run();
        Assert.Equal(ExitCodes.Success, run.ExitCode);
        Assert.Contains("odd0 cannot be tuned", run.Output, StringComparison.Ordinal);

        run = await Run("--interface", "odd0");
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.StartsWith("odd0 cannot be tuned", run.ErrorLine, StringComparison.Ordinal);
        Assert.DoesNotContain("odd0", (await Run("--interface", "eth0")).Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_FewerQueuesThanNodes_SaysWhichNodeHasNone()
    {
        using var tree = MachineTree.TwoNodes()
            .NetworkDevice("eth0", "1")
            .NetworkQueues("eth0", receives: 1, sends: 1, firstInterrupt: 40, "eth0");
        var run = await ToolRun.Of("tune", "--root", tree.PathOf(""));
        Assert.Contains("connections on node 0", run.Output, StringComparison.Ordinal);
        Assert.Contains("0-7 -> 4", run.Output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Run_ABalancerRuns_IsSaid()
    {
        _tree.Write("proc/77/comm", "irqbalance\n");
        Assert.Contains("irqbalance (process 77)", (await Run()).Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--interface 'eth9'", "--interface", "eth9")]
    [InlineData("exclude each other", "--script", "--apply")]
    [InlineData("another machine", "--apply")]
    [InlineData("another machine", "--undo")]
    [InlineData("power of two", "--rfs", "1000")]
    [InlineData("--rfs: the kernel or the driver has no proc/sys/net/core/rps_sock_flow_entries", "--rfs", "64")]
    [InlineData("--format json", "--format", "json", "--script")]
    [InlineData("--rx-usecs '-1'", "--rx-usecs", "-1")]
    [InlineData("Numa:Enabled is false", "--Numa:Enabled=false")]
    public async Task Run_WhatCannotBe_IsRefusedInOneLine(string says, params string[] arguments)
    {
        var run = await Run(arguments);
        Assert.Equal(ExitCodes.Unusable, run.ExitCode);
        Assert.Contains(says, run.ErrorLine, StringComparison.Ordinal);
        Assert.Empty(run.Output);
    }

    [Fact]
    public async Task Run_NoInterface_IsSaid()
    {
        using var tree = MachineTree.TwoNodes();
        var run = await ToolRun.Of("tune", "--root", tree.PathOf(""));
        Assert.Contains("no network interface", run.Output, StringComparison.Ordinal);
        Assert.Contains("Nothing to change", run.Output, StringComparison.Ordinal);
    }

    private Task<ToolRun> Run(params string[] arguments) => ToolRun.Of(["tune", "--root", _tree.PathOf(""), .. arguments]);
}
