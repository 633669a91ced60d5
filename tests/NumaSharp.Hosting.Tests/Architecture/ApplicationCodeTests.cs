using System.Diagnostics.Tracing;
using System.Reflection;
using Microsoft.Extensions.Logging;
using NumaSharp.Core;
using NumaSharp.Scheduling;
using NumaSharp.Transport.Epoll;
using NumaSharp.Udp;

namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>
/// The application's loggers, handlers and listeners are kept and called in known places alone, none of which is a loop's, the
/// watchdog's, a timer's or an accept path's, or under a lock (decision 31). A new place fails here, to be looked at: what is not
/// called by the outbox needs a reason, beside its line.
/// </summary>
public sealed class ApplicationCodeTests
{
    private const BindingFlags Any =
        BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly;

    private static readonly Assembly[] s_assemblies =
    [
        typeof(NumaTaskScheduler).Assembly, typeof(EpollTransportFactory).Assembly, typeof(NumaUdpSocketFactory).Assembly,
        typeof(NumaOptions).Assembly,
    ];

    private static readonly string[] s_loggers =
    [
        "NumaSharp.Core.OutboxLogger",

        // A handler of NumaFallbacks, which the outbox calls.
        "NumaSharp.Hosting.Telemetry.FallbackLog",

        // On threads on which the host is built, starts or stops.
        "NumaSharp.Hosting.Plugins.PluginServices",
        "NumaSharp.Hosting.Live.NumaStart",
        "NumaSharp.Hosting.Transport.UdpListener`1",
    ];

    private static readonly Dictionary<string, string[]> s_readers = new()
    {
        // All of these by the outbox.
        ["NumaFallbacks.Reported"] = ["NumaFallbacks.Note", "NumaFallbacks.Report"],
        ["NumaFallbacks.Withdrawn"] = ["NumaFallbacks.Remove"],
        ["NumaPlanMonitor.Changed"] = ["NumaPlanMonitor.RaiseChanged"],
        ["NumaEventLoopGroupOptions.HandedOver"] = ["LoopReports.OnHandedOver"],
        ["NumaEventLoopGroupOptions.Failed"] = ["LoopReports.OnFailed"],
        ["NumaEventLoopGroupOptions.Resumed"] = ["LoopReports.OnResumed"],

        // Others only ask whether there is one.
        ["NumaEventLoopGroupOptions.Stuck"] = ["LoopReports.OnStuck", "LoopReports.get_WantsStuck"],
        ["NumaEventLoopGroupOptions.UnhandledException"] = ["LoopReports.UnhandledOf"],

        // A worker calls it, in place of the item that threw.
        ["NumaTaskSchedulerOptions.UnhandledException"] = ["NumaTaskScheduler..ctor"],

        // Kestrel binds an end point, and waits for it.
        ["EpollTransportOptions.EndPointOptions"] = ["EpollTransportOptions.SocketsOf"],
    };

    [Fact]
    public void Loggers_AreKeptInKnownPlaces()
    {
        // What logs later must keep a logger: in a field, or in one of a closure.
        var keepers =
            from type in s_assemblies.SelectMany(static each => each.GetTypes())
            from field in type.GetFields(Any)
            where field.FieldType.IsAssignableTo(typeof(ILogger)) || field.FieldType.IsAssignableTo(typeof(ILoggerFactory))
            where field.FieldType.FullName != s_loggers[0]
            select OutermostOf(type).FullName;
        Assert.Equal(s_loggers.Order(), keepers.Distinct().Order());
    }

    [Fact]
    public void EventsAndCallbacks_AreReadInKnownPlaces()
    {
        var members = Callbacks().ToDictionary(static each => each.Member, static each => each.Name);
        var readers = members.Values.Distinct().ToDictionary(static name => name, static _ => new SortedSet<string>());
        foreach (var (method, used) in Uses())
        {
            if (members.TryGetValue(used, out var name) && !IsAccessorOf(method, name))
            {
                readers[name].Add(NameOf(method));
            }
        }

        Assert.Equal(Lines(s_readers), Lines(readers));
    }

    // The source calls listeners of this process on the thread that writes.
    [Fact]
    public void EventsOfTheScheduler_AreWrittenInKnownPlaces()
    {
        var writers =
            from use in Uses()
            where use.Used.IsDefined(typeof(EventAttribute))
            select NameOf(use.Method);
        Assert.Equal(
            [
                "NumaTaskScheduler.NoteStart", "SchedulerEvents.PostSpareEnded", "SchedulerEvents.PostSpareStarted",
                "Worker.StopSearching",
            ],
            writers.Distinct().Order());
    }

    // A system that has no more threads refuses any of them, and tests refuse them there.
    [Fact]
    public void Threads_AreStartedInOnePlace()
    {
        var starters =
            from use in Uses()
            where use.Used.DeclaringType == typeof(Thread) && use.Used.Name is nameof(Thread.Start) or nameof(Thread.UnsafeStart)
            select NameOf(use.Method);
        Assert.Equal(["SystemThread..cctor"], starters.Distinct());
    }

    private static string Lines<T>(IEnumerable<KeyValuePair<string, T>> readers)
        where T : IEnumerable<string> =>
        string.Join(
            '\n', readers.OrderBy(static each => each.Key).Select(static each => $"{each.Key}: {string.Join(", ", each.Value)}"));

    private static IEnumerable<(MemberInfo Member, string Name)> Callbacks()
    {
        foreach (var type in s_assemblies.SelectMany(static each => each.GetExportedTypes()))
        {
            foreach (var raised in type.GetEvents(Any))
            {
                yield return (type.GetField(raised.Name, Any)!, $"{type.Name}.{raised.Name}");
            }

            foreach (var property in type.GetProperties(Any))
            {
                if (property.PropertyType.IsAssignableTo(typeof(Delegate))
                    && property is { GetMethod.IsPublic: true, CanWrite: true })
                {
                    yield return (property.GetMethod, $"{type.Name}.{property.Name}");
                }
            }
        }
    }

    private static bool IsAccessorOf(MethodBase method, string name)
    {
        var (type, member) = (name.Split('.')[0], name.Split('.')[1]);
        return method.DeclaringType!.Name == type && (method.Name == $"add_{member}" || method.Name == $"remove_{member}");
    }

    private static IEnumerable<(MethodBase Method, MemberInfo Used)> Uses() =>
        from type in s_assemblies.SelectMany(static each => each.GetTypes())
        from method in type.GetMethods(Any).Cast<MethodBase>().Concat(type.GetConstructors(Any))
        let code = method.GetMethodBody()?.GetILAsByteArray()
        where code is not null
        from token in IntermediateLanguage.TokensOf(code)
        select (method, Resolve(method, token));

    private static MemberInfo Resolve(MethodBase method, int token) => method.Module.ResolveMember(
        token,
        method.DeclaringType is { IsGenericType: true } type ? type.GetGenericArguments() : null,
        method is { IsGenericMethod: true } ? method.GetGenericArguments() : null)!;

    // Lambdas and iterators count as the method that they are written in.
    private static string NameOf(MethodBase method)
    {
        var name = method.Name;
        for (var type = method.DeclaringType; name[0] != '<' && type is { IsNested: true }; type = type.DeclaringType)
        {
            name = type.Name[0] == '<' ? type.Name : name;
        }

        return $"{OutermostOf(method.DeclaringType!).Name}.{name.TrimStart('<').Split('>')[0]}";
    }

    private static Type OutermostOf(Type type)
    {
        while (type.DeclaringType is { } outer)
        {
            type = outer;
        }

        return type;
    }
}
