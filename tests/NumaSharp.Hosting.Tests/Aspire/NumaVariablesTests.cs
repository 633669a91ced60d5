using Aspire.Hosting.ApplicationModel;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NumaSharp.Aspire.Hosting.Mapping;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;

namespace NumaSharp.Hosting.Tests.Aspire;

/// <summary>What <c>WithNuma</c> writes is what <c>AddNuma</c> reads.</summary>
public sealed class NumaVariablesTests
{
    [Fact]
    public void From_EverySetting_IsReadBackByAddNuma()
    {
        var options = OptionsOf(new NumaResourceOptions
        {
            Nodes = "0-1",
            Cpus = "1-2",
            BindMode = NumaBindMode.Strict,
            MemoryPolicy = NumaMemoryPolicy.Interleave,
            PoolSizePerNode = 1 << 20,
            MemoryLimitPerNode = 8 << 20,
            SchedulingPolicy = NumaSchedulingPolicy.NodeStrict,
            ThreadsPerNode = 3,
            Dispatch = NumaDispatchMode.ThreadPool,
            LoopsPerNode = 1,
            Settings = { ["Transport:NoDelay"] = "false", ["Udp:dns:Port"] = "5353" },
        });

        Assert.Equal(CpuSet.FromIds(0, 1), options.Binding.Nodes);
        Assert.Equal(CpuSet.FromIds(1, 2), options.Binding.Cpus);
        Assert.Equal(NumaBindMode.Strict, options.Binding.Mode);
        Assert.Equal(NumaMemoryPolicy.Interleave, options.Binding.Policy);
        Assert.Equal(1 << 20, options.Memory.PoolSizePerNode);
        Assert.Equal(8 << 20, options.Memory.LimitPerNode);
        Assert.Equal(NumaSchedulingPolicy.NodeStrict, options.Scheduler.Policy);
        Assert.Equal(3, options.Scheduler.ThreadsPerNode);
        Assert.Equal(EpollDispatchMode.ThreadPool, options.Transport.Dispatch);
        Assert.Equal(1, options.Transport.LoopsPerNode);
        Assert.False(options.Transport.NoDelay);
        Assert.Equal(5353, options.Udp["dns"].Port);
    }

    [Fact]
    public void From_NothingSet_IsEmpty() => Assert.Empty(NumaVariables.From(new NumaResourceOptions()));

    [Fact]
    public void From_Settings_WinOverProperties()
    {
        var variables = NumaVariables.From(new NumaResourceOptions { Nodes = "0", Settings = { ["binding:nodes"] = "1" } });

        Assert.Equal("1", Assert.Single(variables).Value);
    }

    [Fact]
    public void Keys_AllOfThem_AreSettingsOfTheTable()
    {
        string[] known = [.. NumaSettings.All.Select(static setting => NumaVariables.NameOf(setting.Path))];
        var written = NumaVariables.From(new NumaResourceOptions
        {
            Nodes = "0",
            Cpus = "0",
            BindMode = default(NumaBindMode),
            MemoryPolicy = default(NumaMemoryPolicy),
            PoolSizePerNode = 0,
            MemoryLimitPerNode = 0,
            SchedulingPolicy = default(NumaSchedulingPolicy),
            ThreadsPerNode = 0,
            Dispatch = default(NumaDispatchMode),
            LoopsPerNode = 0,
        });

        Assert.Equal(10, written.Count);
        Assert.All(written.Keys.Concat(NumaVariables.Fences), name => Assert.Contains(name, known));
    }

    [Fact]
    public void Dispatch_Names_AreThoseOfTheTransport() =>
        Assert.Equal(Enum.GetNames<EpollDispatchMode>(), Enum.GetNames<NumaDispatchMode>());

    [Theory]
    [InlineData("")]
    [InlineData("a")]
    [InlineData("1-0")]
    [InlineData("-1")]
    public void Lists_NotKernelLists_AreRefusedWithWhatIsAllowed(string list)
    {
        var options = new NumaResourceOptions();

        Assert.StartsWith(
            $"Nodes = '{list}': must be a kernel list such as '0-3,8'.",
            Assert.Throws<ArgumentException>(() => options.Nodes = list).Message,
            StringComparison.Ordinal);
        Assert.StartsWith(
            $"Cpus = '{list}'", Assert.Throws<ArgumentException>(() => options.Cpus = list).Message, StringComparison.Ordinal);
        Assert.Null(options.Nodes);
    }

    [Fact]
    public void Numbers_OutOfRange_AreRefusedWithTheirNames()
    {
        var options = new NumaResourceOptions();
        (string Name, Action Set)[] mistakes =
        [
            ("PoolSizePerNode = '-1': must be a number from 0", () => options.PoolSizePerNode = -1),
            ("MemoryLimitPerNode = '-1'", () => options.MemoryLimitPerNode = -1),
            ("ThreadsPerNode = '-1'", () => options.ThreadsPerNode = -1),
            ("LoopsPerNode = '-1'", () => options.LoopsPerNode = -1),
            ("OpenFiles = '-1'", () => options.OpenFiles = -1),
            ("LockedMemoryBytes = '-1'", () => options.LockedMemoryBytes = -1),
            ("PodCpus = '0': must be a number of CPUs, from 1", () => options.PodCpus = 0),
            ("PodMemoryBytes = '0': must be a number of bytes, from 1", () => options.PodMemoryBytes = 0),
        ];

        Assert.All(mistakes, static mistake => Assert.StartsWith(
            mistake.Name, Assert.Throws<ArgumentOutOfRangeException>(mistake.Set).Message, StringComparison.Ordinal));
    }

    // As a host does: its configuration turns "__" in the names of variables into ":".
    private static NumaOptions OptionsOf(NumaResourceOptions options)
    {
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        builder.Configuration.AddInMemoryCollection(NumaVariables.From(options).Select(static variable =>
            KeyValuePair.Create(variable.Key.Replace("__", ":", StringComparison.Ordinal), (string?)variable.Value)));
        builder.AddNuma(static numa => numa.AddMachine(NumaHost.TwoNodes()));
        using var host = builder.Build();
        Assert.Empty(host.Services.FindUnknownNumaKeys());
        return host.Services.GetRequiredService<IOptions<NumaOptions>>().Value;
    }
}
