using NumaSharp.Tool.Interop;
using NumaSharp.Tool.Machine;
using NumaSharp.Tool.Tune;

namespace NumaSharp.Tool.Tests.Tune;

public sealed class KernelSettingTests
{
    [Theory]
    [InlineData("proc/irq/1/smp_affinity_list", "0,1", "0-1", true)]
    [InlineData("proc/irq/1/smp_affinity_list", "0-1", "1", false)]
    [InlineData("proc/irq/1/smp_affinity_list", "rubbish", "rubbish", false)]
    [InlineData("sys/class/net/a/queues/tx-0/xps_cpus", "0f", "00000000,0000000f", true)]
    [InlineData("sys/class/net/a/queues/tx-0/xps_cpus", "0f", "0e", false)]
    [InlineData("sys/class/net/a/queues/tx-0/xps_cpus", "", "", false)]
    [InlineData("sys/class/net/a/gro_flush_timeout", "0", "0", true)]
    [InlineData("sys/class/net/a/gro_flush_timeout", "0", "2", false)]
    [InlineData("ethtool:a:adaptive-rx", "on", "on", true)]
    public void AreSame_AsTheKernelWritesThem(string name, string one, string other, bool same) =>
        Assert.Equal(same, KernelSetting.AreSame(name, one, other));

    [Theory]
    [InlineData("proc/irq/40/smp_affinity_list", "4", "eth0-TxRx-0", "interrupt eth0-TxRx-0 4")]
    [InlineData("proc/irq/40/smp_affinity_list", "4", "it's one", @"interrupt 'it'\''s one' 4")]
    [InlineData("sys/class/net/a$(b)/queues/tx-0/xps_cpus", "f", null, "echo f > '/sys/class/net/a$(b)/queues/tx-0/xps_cpus'")]
    [InlineData("ethtool:eth0:rx-usecs", "8", null, "ethtool -C eth0 rx-usecs 8 || [ $? = 80 ] # 80: it is set")]
    [InlineData("ethtool:a;b:adaptive-rx", "on", null, "ethtool -C 'a;b' adaptive-rx on || [ $? = 80 ] # 80: it is set")]
    public void Command_IsForAShell(string name, string value, string? interrupt, string command) =>
        Assert.Equal(command, TuneView.CommandOf(new KernelSetting(name, "", value, interrupt)));

    [Fact]
    public void Machine_FileThatTakesAValue_HasIt()
    {
        using var tree = new MachineTree().Write("proc/irq/40/smp_affinity_list", "0-7\n");
        var settings = new MachineSettings(new TreeReader(tree.PathOf("")), isLive: false);
        Assert.Null(settings.TryWrite("proc/irq/40/smp_affinity_list", "0-4"));
        Assert.Equal("0-4", settings.Read("proc/irq/40/smp_affinity_list"));
    }

    [Fact]
    public void Machine_FileThatCannotBeWritten_IsNamedByTheSystem()
    {
        using var folder = new TemporaryFolder();
        var settings = new MachineSettings(new TreeReader(folder.Path), isLive: false);
        Assert.NotNull(settings.TryWrite("proc/irq/40/smp_affinity_list", "4"));
        Assert.Null(settings.Read("proc/irq/40/smp_affinity_list"));
        Assert.Equal("", settings.Read("ethtool:eth0:rx-usecs"));
    }

    [Theory]
    [InlineData("a-name-of-more-than-15")]
    [InlineData("none-such")]
    public void Coalescing_NoSuchInterface_IsSaid(string device)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "ethtool is Linux's.");
        Assert.Equal("ENODEV", Coalescing.TryRead(device, out _).ErrorName);
        var settings = new MachineSettings(new TreeReader("/"), isLive: true);
        Assert.Null(settings.Read(KernelSetting.Ethtool(device, Coalescing.AdaptiveReceive)));
        Assert.Equal("ENODEV", settings.TryWrite(KernelSetting.Ethtool(device, Coalescing.AdaptiveReceive), "on"));
    }

    [Fact]
    public void Coalescing_AsWordsOfEthtool_KeepsWhatIsSet()
    {
        var coalescing = default(Coalescing);
        coalescing.Set(Coalescing.ReceiveMicroseconds, "50");
        coalescing.Set(Coalescing.AdaptiveReceive, "on");
        Assert.Equal("50", coalescing.Get(Coalescing.ReceiveMicroseconds));
        Assert.Equal("on", coalescing.Get(Coalescing.AdaptiveReceive));
        Assert.Null(coalescing.Get("tx-usecs"));

        // Places of struct ethtool_coalesce.
        Assert.Equal(50u, coalescing[1]);
        Assert.Equal(1u, coalescing[10]);
    }
}
