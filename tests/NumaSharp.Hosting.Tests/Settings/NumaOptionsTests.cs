using System.Reflection;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using NSubstitute;
using NumaSharp.Core;
using NumaSharp.Hosting.Settings;
using NumaSharp.Hosting.Tests.Support;
using NumaSharp.Plugins.Simulated;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Configuration;

public sealed class NumaOptionsTests
{
    /// <summary>Options of the library that have no key.</summary>
    private static readonly string[] s_forCode =
    [
        "Transport:EndPointOptions",
        "Scheduler:Affinity", "Scheduler:DrainTimeout", "Scheduler:Fallbacks", "Scheduler:Plan", "Scheduler:ThreadNamePrefix",
        "Scheduler:UnhandledException",
        .. new[]
        {
            nameof(NumaUdpOptions.Broadcast), nameof(NumaUdpOptions.BusyPoll), nameof(NumaUdpOptions.DontFragment),
            nameof(NumaUdpOptions.MulticastLoopback), nameof(NumaUdpOptions.MulticastTimeToLive),
            nameof(NumaUdpOptions.PacketInfo), nameof(NumaUdpOptions.ReceiveTrafficClass), nameof(NumaUdpOptions.TimeToLive),
            nameof(NumaUdpOptions.Timestamps), nameof(NumaUdpOptions.TrafficClass),
        }.Select(static name => $"Udp:<name>:{name}"),
    ];

    [Fact]
    public void Value_EveryKeySet_HasEveryValue()
    {
        var options = OptionsOf(
            ("enabled", "false"), ("Topology:SysfsRoot", "/a"), ("Topology:ProcRoot", "/b"), ("Affinity:Provider", "simulated"),
            ("Topology:PollInterval", "30s"),
            ("Affinity:ReservedCpus", "1"), ("Binding:Nodes", "1"), ("Binding:Cpus", "2-3"), ("Binding:Mode", "none"),
            ("Memory:Provider", "SIMULATED"), ("Memory:BlockSize", "8KiB"), ("Memory:LimitPerNode", "1GiB"),
            ("Memory:TrimAfter", "45s"), ("Memory:KeepPerNode", "0"), ("Memory:PoolSizePerNode", "3MiB"),
            ("Memory:ZeroOnReturn", "True"), ("Memory:Checks", "hardened"),
            ("Scheduler:Policy", "Spread"), ("Scheduler:ThreadsPerNode", "3"),
            ("Transport:Enabled", "false"), ("Transport:Dispatch", "Node"), ("Transport:LoopsPerNode", "1"),
            ("Transport:StallThreshold", "5ms"), ("Transport:Backlog", "7"), ("Transport:NoDelay", "false"),
            ("Transport:SharePort", "true"), ("Transport:MaxReadBufferSize", "2MiB"), ("Transport:MaxWriteBufferSize", "4096"),
            ("Transport:WaitForDataBeforeAllocatingBuffer", "false"), ("Telemetry:Enabled", "false"),
            ("Telemetry:Interval", "1m"), ("Page:Enabled", "false"), ("Page:Interval", "00:00:02"));

        var (topology, affinity, binding) = (options.Topology, options.Affinity, options.Binding);
        var (memory, scheduler, transport) = (options.Memory, options.Scheduler, options.Transport);
        Assert.Multiple(
            () => Assert.False(options.Enabled),
            () => Assert.Equal(("Simulated", "/a", "/b"), (topology.Provider, topology.SysfsRoot, topology.ProcRoot)),
            () => Assert.Equal(TimeSpan.FromSeconds(30), topology.PollInterval),
            () => Assert.Equal(("simulated", "1"), (affinity.Provider, affinity.ReservedCpus.ToString())),
            () => Assert.Equal(("1", "2-3"), (binding.Nodes?.ToString(), binding.Cpus?.ToString())),
            () => Assert.Equal(NumaBindMode.None, binding.Mode),
            () => Assert.Equal(("SIMULATED", 8192), (memory.Provider, memory.BlockSize)),
            () => Assert.Equal((1L << 30, true), (memory.LimitPerNode, memory.ZeroOnReturn)),
            () => Assert.Equal((TimeSpan.FromSeconds(45), 0L), (memory.TrimAfter, memory.KeepPerNode)),
            () => Assert.Equal(NumaMemoryCheckMode.Hardened, memory.Checks),
            () => Assert.Equal((NumaSchedulingPolicy.Spread, 3), (scheduler.Policy, scheduler.ThreadsPerNode)),
            () => Assert.Equal((false, EpollDispatchMode.Node), (transport.Enabled, transport.Dispatch)),
            () => Assert.Equal((1, TimeSpan.FromMilliseconds(5)), (transport.LoopsPerNode, transport.StallThreshold)),
            () => Assert.Equal((7, false, true), (transport.Backlog, transport.NoDelay, transport.SharePort)),
            () => Assert.Equal((2L << 20, 4096L), (transport.MaxReadBufferSize, transport.MaxWriteBufferSize)),
            () => Assert.False(transport.WaitForDataBeforeAllocatingBuffer),
            () => Assert.Equal((false, TimeSpan.FromMinutes(1)), (options.Telemetry.Enabled, options.Telemetry.Interval)),
            () => Assert.Equal((false, TimeSpan.FromSeconds(2)), (options.Page.Enabled, options.Page.Interval)));
    }

    [Fact]
    public void Value_NothingSet_IsTheDefault()
    {
        var builder = NumaHost.CreateBuilder();
        builder.AddNuma();
        using var host = builder.Build();
        var options = host.Services.GetRequiredService<IOptions<NumaOptions>>().Value;
        Assert.All(NumaSettings.All, setting => Assert.Empty(setting.FindInvalid(options)));
        Assert.Equal((512, true), (options.Transport.Backlog, options.Transport.NoDelay));
        Assert.Equal((1L << 20, 64L << 10), (options.Transport.MaxReadBufferSize, options.Transport.MaxWriteBufferSize));
    }

    [Fact]
    public void Table_EveryPropertyOfTheOptions_HasAKeyAndEveryKeyAProperty()
    {
        var properties = typeof(NumaOptions).GetProperties().SelectMany(PathsOf).Except(s_forCode);
        Assert.Equal(
            properties.Order(StringComparer.Ordinal), NumaSettings.All.Select(static s => s.Path).Order(StringComparer.Ordinal));

        // A section is a class of ours, a list has items of one; the rest are values.
        static IEnumerable<string> PathsOf(PropertyInfo property)
        {
            var (type, prefix) = property.PropertyType switch
            {
                { Name: "IList`1", GenericTypeArguments: [var item] } => (item, $"{property.Name}:*:"),
                { Name: "IDictionary`2", GenericTypeArguments: [{ Name: "String" }, var item] } =>
                    (item, $"{property.Name}:<name>:"),
                _ => (property.PropertyType, $"{property.Name}:"),
            };
            return property.CanWrite || !type.Namespace!.StartsWith("NumaSharp.Hosting", StringComparison.Ordinal)
                ? [property.Name]
                : type.GetProperties().SelectMany(PathsOf).Select(path => prefix + path);
        }
    }

    [Fact]
    public async Task Scheduler_OptionsOfCode_AreThoseOfTheHostsScheduler()
    {
        var fallbacks = new NumaFallbacks();
        var failure = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        using var host = HostWith(options =>
        {
            options.Scheduler.UnhandledException = failure.SetResult;
            options.Scheduler.ThreadNamePrefix = "mine";
            options.Scheduler.Fallbacks = fallbacks;
        });
        var options = host.Services.GetRequiredService<IOptions<NumaOptions>>().Value.Scheduler;
        var scheduler = host.Services.GetRequiredService<NumaTaskScheduler>();
        scheduler.QueueOnNode(0, static _ => throw new InvalidOperationException(Thread.CurrentThread.Name), state: null);

        Assert.StartsWith("mine0-", (await failure.Task.Within()).Message, StringComparison.Ordinal);
        Assert.Same(host.Services.GetRequiredService<NumaPlan>(), scheduler.Plan);
        Assert.Equal((null, null, fallbacks), (options.Plan, options.Affinity, options.Fallbacks));
    }

    [Fact]
    public void Scheduler_PlanOfCode_IsRefused()
    {
        var plan = NumaPlan.Create(TestMachines.Row(2, 2).Read());
        using var host = HostWith(options => options.Scheduler.Plan = plan);

        Assert.Equal(
            $"Numa:Scheduler:Plan = '{plan}': must not be set: the host makes the plan",
            Assert.Throws<NumaOptionsException>(() => host.Services.GetRequiredService<IOptions<NumaOptions>>().Value).Message);
    }

    [Fact]
    public void Scheduler_DrainTimeoutOutOfRange_IsRefused()
    {
        using var host = HostWith(static options => options.Scheduler.DrainTimeout = TimeSpan.FromDays(25));

        Assert.Equal(
            "Numa:Scheduler:DrainTimeout = '25.00:00:00': must be from 0 to 1 day, or Timeout.InfiniteTimeSpan",
            Assert.Throws<NumaOptionsException>(() => host.Services.GetRequiredService<IOptions<NumaOptions>>().Value).Message);
    }

    [Fact]
    public void Value_EmptyText_RestoresTheDefault()
    {
        var options = OptionsOf(("Transport:Backlog", ""), ("Binding:Nodes", " "), ("Enabled", null));
        Assert.Equal((512, true), (options.Transport.Backlog, options.Enabled));
        Assert.Null(options.Binding.Nodes);
    }

    [Fact]
    public void Value_SeveralMistakes_AreAllToldWithKeyValueAndWhatIsAllowed()
    {
        var failures = FailuresOf(
            ("Transport:Backlog", "abc"),
            ("Transport:StallThreshold", "5"),
            ("Memory:BlockSize", "1GiB"),
            ("Memory:LimitPerNode", "1KiB"),
            ("Binding:Mode", "Hard"),
            ("Binding:Nodes", "7"),
            ("Memory:Provider", "Nope"),
            ("Scheduler", "fast"),
            ("Affinity:ReservedCpus:0", "1"));

        string[] expected =
        [
            "Numa:Affinity:ReservedCpus = '...': must be a kernel list such as '0-3,8', not an object or an array",
            "Numa:Binding:Mode = 'Hard': must be one of None, Advisory, Strict",
            "Numa:Memory:BlockSize = '1GiB': must be a size such as '64KiB', '1MiB' or a number of bytes, from 64 to 1MiB",
            "Numa:Memory:LimitPerNode = '1KiB': must be 0 (no limit) or a size such as '64KiB', '1MiB' or a number of bytes, "
                + "from 4MiB to 1TiB",
            "Numa:Transport:StallThreshold = '5': must be a duration such as '1ms', '5s' or '00:00:05', from 100us to 10s",
            "Numa:Transport:Backlog = 'abc': must be an integer from 1 to 65535",
            "Numa:Scheduler = 'fast': must be a section, not a value",
            "Numa:Memory:Provider = 'Nope': must be Auto or a registered provider: Linux, Simulated, SingleNode",
        ];
        Assert.Equal(expected, failures[..^1]);
        Assert.StartsWith("Numa:Binding:Nodes = '7': 7 cannot be used; allowed are ", failures[^1], StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Memory:Checks", "1", "one of None, Full, Hardened")]
    [InlineData("Memory:Checks", "Full,Hardened", "one of None, Full, Hardened")]
    [InlineData("Memory:Checks", "on", "one of None, Full, Hardened")]
    [InlineData("Memory:TrimAfter", "30", "0 (never) or a duration such as '1ms', '5s' or '00:00:05', from 1s to 1d")]
    [InlineData("Memory:TrimAfter", "10ms", "0 (never) or a duration such as '1ms', '5s' or '00:00:05', from 1s to 1d")]
    [InlineData("Memory:TrimAfter", "-1s", "0 (never) or a duration such as '1ms', '5s' or '00:00:05', from 1s to 1d")]
    [InlineData("Memory:PoolSizePerNode", "2TiB", "a size such as '64KiB', '1MiB' or a number of bytes, from 0 to 1TiB")]
    [InlineData("Memory:KeepPerNode", "-1", "a size such as '64KiB', '1MiB' or a number of bytes, from 0 to 1TiB")]
    [InlineData(
        "Memory:KeepPerNode",
        "16MB",
        "a size such as '64KiB', '1MiB' or a number of bytes, from 0 to 1TiB; did you mean '16MiB'?")]
    public void Value_OfMemoryNotAllowed_NamesKeyValueAndWhatIs(string key, string value, string allowed) =>
        Assert.Equal(
            $"Numa:{key} = '{value}': must be {allowed}", Assert.Single(FailuresOf((key, value))));

    [Theory]
    [InlineData("Memory:PoolSizePerNode", "2GiB", "must not be more than the memory of node 0, 1GiB")]
    [InlineData("Binding:Cpus", "2-9", "4-9 cannot be used; allowed are the CPUs that this process may use: 0-3")]
    [InlineData("Affinity:ReservedCpus", "0-3", "no CPU is left")]
    public void Value_NotOnThisMachine_NamesTheKey(string key, string value, string reason)
    {
        var failure = Assert.Single(FailuresOf((key, value)));
        Assert.StartsWith($"Numa:{key} = '{value}': {reason}", failure, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, "512MiB", "513MiB", "512MiB that the process may use")]
    [InlineData(2, "256MiB", "257MiB", "512MiB that the process may use on its 2 nodes")]
    public void PoolSizePerNode_MoreThanTheCgroupLeaves_NamesBoth(int nodes, string allowed, string size, string limit)
    {
        var machine = TestMachines.Row([.. Enumerable.Repeat(2, nodes)]).Read();
        var topology = Substitute.For<INumaTopologyProvider>();
        topology.Name.Returns("Mine");
        topology.Read().Returns(new NumaTopology("Mine", machine.Nodes) { MemoryLimitBytes = 512 << 20 });
        var platform = NumaHost.TwoNodes().PlatformWith(topology);
        Assert.NotEqual(0, OptionsOf(Create(allowed)).Memory.PoolSizePerNode);
        Assert.Equal(
            [$"Numa:Memory:PoolSizePerNode = '{size}': must not be more than the {limit}"], FailuresOf(Create(size)));

        IHost Create(string poolSize)
        {
            var builder = NumaHost.CreateBuilder(("Memory:PoolSizePerNode", poolSize));
            builder.AddNuma(numa => numa.UsePlatform(platform));
            return builder.Build();
        }
    }

    [Fact]
    public void Value_AboveThatOfAnotherKey_NamesBoth() =>
        Assert.Equal(
            "Numa:Memory:PoolSizePerNode = '16MiB': must not be more than Memory:LimitPerNode, 8MiB",
            Assert.Single(FailuresOf(("Memory:PoolSizePerNode", "16MiB"), ("Memory:LimitPerNode", "8MiB"))));

    [Fact]
    public void Value_WrongInCode_IsReportedLikeConfiguration()
    {
        var builder = NumaHost.CreateBuilder();
        builder.AddNuma(static numa => numa.Configure(static options => options.Transport.Backlog = -1));
        using var host = builder.Build();
        var options = host.Services.GetRequiredService<IOptions<NumaOptions>>();
        var exception = Assert.Throws<NumaOptionsException>(() => options.Value);
        Assert.Equal("Numa:Transport:Backlog = '-1': must be an integer from 1 to 65535", Assert.Single(exception.Failures));
    }

    [Fact]
    public void Value_NullInCode_IsReportedLikeConfiguration()
    {
        var builder = NumaHost.CreateBuilder();
        builder.AddNuma(static numa => numa.Configure(static options =>
            options.Memory.Provider = options.Affinity.Provider = options.Topology.SysfsRoot = null!));
        using var host = builder.Build();
        var options = host.Services.GetRequiredService<IOptions<NumaOptions>>();
        Assert.Equal(
            [
                "Numa:Topology:SysfsRoot = '': must be an absolute path",
                "Numa:Affinity:Provider = '': must be Auto or the name of a registered provider",
                "Numa:Memory:Provider = '': must be Auto or the name of a registered provider",
            ],
            Assert.Throws<NumaOptionsException>(() => options.Value).Failures);
    }

    [Fact]
    public void Value_CodeAndConfiguration_CodeWins()
    {
        var builder = NumaHost.CreateBuilder(("Transport:Backlog", "7"), ("Transport:NoDelay", "false"));
        builder.AddNuma(static numa => numa.Configure(static options => options.Transport.Backlog = 9));
        using var host = builder.Build();
        var options = host.Services.GetRequiredService<IOptions<NumaOptions>>().Value;
        Assert.Equal((9, false), (options.Transport.Backlog, options.Transport.NoDelay));
    }

    [Fact]
    public void Value_SectionElsewhere_ErrorsNameItsKey()
    {
        var configuration = new ConfigurationBuilder()
            .AddInMemoryCollection([KeyValuePair.Create<string, string?>("My:Placement:Enabled", "maybe")])
            .Build();
        using var services = new ServiceCollection()
            .AddNuma(configuration.GetSection("My:Placement")).Services.BuildServiceProvider();
        var exception = Assert.Throws<NumaOptionsException>(() => services.GetRequiredService<IOptions<NumaOptions>>().Value);
        Assert.Equal("My:Placement:Enabled = 'maybe': must be true or false", Assert.Single(exception.Failures));
    }

    [Fact]
    public async Task StartAsync_BadSetting_ThrowsAllFailuresWithoutATrace()
    {
        using var host = NumaHost.Create(("Enabled", "maybe"), ("Transport:Backlog", "0"));
        var exception = await Assert.ThrowsAnyAsync<OptionsValidationException>(() =>
            host.StartAsync(TestContext.Current.CancellationToken));
        Assert.Equal(2, exception.Failures.Count());
        Assert.Equal(typeof(NumaOptions), exception.OptionsType);
        Assert.Equal(string.Join(Environment.NewLine, exception.Failures), exception.ToString());
    }

    [Fact]
    public void Failure_ControlCharactersInTheValue_StayOnOneLine()
    {
        var failure = Assert.Single(FailuresOf(("Transport:Backlog", "1\n2\u001b[31m")));
        Assert.DoesNotContain(failure, char.IsControl);
    }

    private static string[] FailuresOf(params (string Key, string? Value)[] settings) => FailuresOf(NumaHost.Create(settings));

    private static string[] FailuresOf(IHost host)
    {
        using (host)
        {
            return [.. Assert.Throws<NumaOptionsException>(() =>
                host.Services.GetRequiredService<IOptions<NumaOptions>>().Value).Failures];
        }
    }

    private static NumaOptions OptionsOf(params (string Key, string? Value)[] settings) => OptionsOf(NumaHost.Create(settings));

    private static NumaOptions OptionsOf(IHost host)
    {
        using (host)
        {
            return host.Services.GetRequiredService<IOptions<NumaOptions>>().Value;
        }
    }

    private static IHost HostWith(Action<NumaOptions> configure)
    {
        var builder = NumaHost.CreateBuilder(("Topology:Provider", SimulatedMachine.ProviderName));
        builder.AddNuma(numa => numa.AddMachine(NumaHost.TwoNodes()).Configure(configure));
        return builder.Build();
    }
}
