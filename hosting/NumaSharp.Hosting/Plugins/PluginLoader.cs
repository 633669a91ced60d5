using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Security.Cryptography;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Primitives;
using NumaSharp.Core;

namespace NumaSharp.Hosting.Plugins;

/// <summary>Loads one plugin: file, hash, contract, entry, providers, in this order, so that bad code never runs.</summary>
internal sealed class PluginLoader(PluginFolder folder, PluginServices services, bool canLoadCode)
{
    public static bool CanLoadCode => RuntimeFeature.IsDynamicCodeSupported;

    /// <summary>Returns the file's real path: one file is one plugin, however it is spelled.</summary>
    /// <exception cref="PluginRefusedException">No plugin can be loaded, or none from there.</exception>
    public string Find(NumaPluginOptions options)
    {
        if (!canLoadCode)
        {
            throw PluginRefusedException.Because(
                "cannot be loaded into a program that was compiled ahead of time (NativeAOT): reference the plugin's package and "
                + "register it in AddNuma()");
        }

        return folder.Find(options.Assembly);
    }

    /// <exception cref="PluginRefusedException">It cannot be loaded, or is not usable.</exception>
    /// <exception cref="NumaSettingException">Its settings are wrong.</exception>
    public LoadedPlugin Load(string path, NumaPluginOptions options)
    {
        var image = PluginFile.Read(path);
        var hash = Convert.ToHexString(SHA256.HashData(image));
        CheckHash(hash, options.Sha256);
        PluginContract.Check(image);
        var plugin = Enter(path, image);
        ServiceProvider? container = null;
        try
        {
            var builder = services.CreateBuilder();
            plugin.Register(builder);
            container = builder.Services.BuildServiceProvider(validateScopes: true);
            var loaded = Require(new LoadedPlugin(container, hash));
            container = null;
            return loaded;
        }
        catch (Exception exception) when (exception is not (NumaSettingException or PluginRefusedException))
        {
            throw Failed("registering its providers", exception);
        }
        finally
        {
            // Some of its providers may have been created before another one failed.
            if (container is not null)
            {
                services.End(container);
            }
        }
    }

    public void End(LoadedPlugin plugin) => services.End(plugin.Services);

    /// <exception cref="PluginRefusedException">Another hash is expected.</exception>
    public static void CheckHash(string actual, string expected)
    {
        if (expected.Length > 0 && !expected.Equals(actual, StringComparison.OrdinalIgnoreCase))
        {
            throw new PluginRefusedException(
                nameof(NumaPluginOptions.Sha256), $"must be the SHA-256 of the assembly, which is {actual}");
        }
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Plugins are refused where code cannot be loaded.")]
    private INumaPlugin Enter(string path, byte[] image)
    {
        try
        {
            var assembly = new PluginLoadContext(path, folder).LoadImage(image);
            var type = assembly.GetCustomAttribute<NumaPluginAttribute>()?.PluginType
                ?? throw PluginRefusedException.Because(
                    "must be a plugin: it has no [assembly: NumaPlugin(typeof(...))] that names its entry");
            if (!typeof(INumaPlugin).IsAssignableFrom(type))
            {
                throw PluginRefusedException.Because(
                    $"must name an entry that implements {nameof(INumaPlugin)}; {type} does not");
            }

            return (INumaPlugin)Activator.CreateInstance(type)!;
        }
        catch (TargetInvocationException exception)
        {
            throw Failed("its constructor", exception.InnerException ?? exception);
        }
        catch (MissingMethodException exception)
        {
            throw PluginRefusedException.Because(
                "must name an entry that can be created: a class with a public constructor without parameters", exception);
        }
        catch (Exception exception) when (exception is not PluginRefusedException)
        {
            throw Failed("loading it", exception);
        }
    }

    private static LoadedPlugin Require(LoadedPlugin plugin)
    {
        (object? Provider, string? Name)[] all = [.. plugin.Providers];
        if (all.Length == 0)
        {
            throw PluginRefusedException.Because(
                $"must register a provider ({nameof(INumaTopologyProvider)}, {nameof(INumaMemoryProvider)} or "
                + $"{nameof(INumaAffinityProvider)}); it registers none");
        }

        var nameless = Array.FindIndex(all, static one => string.IsNullOrWhiteSpace(one.Name));
        return nameless < 0
            ? plugin
            : throw PluginRefusedException.Because(
                "must register providers that have names; "
                + (all[nameless].Provider is { } provider ? $"{provider.GetType()} has none" : "it registers null"));
    }

    // Type and message, on one line: the stack trace only matters to the plugin's author.
    private static PluginRefusedException Failed(string what, Exception exception) =>
        PluginRefusedException.Because(
            $"cannot be used: {what} failed with {exception.GetType().Name}: {exception.Message.TrimEnd('.')}", exception);
}

/// <summary>A plugin cannot be loaded, or is not usable.</summary>
/// <param name="key">The key of the item that caused it.</param>
/// <param name="reason">The reason, to follow the key and its value.</param>
/// <param name="cause">The plugin's exception, if any.</param>
internal sealed class PluginRefusedException(string key, string reason, Exception? cause = null) : Exception(reason, cause)
{
    public string Key { get; } = key;

    public static PluginRefusedException Because(string reason, Exception? cause = null) =>
        new(nameof(NumaPluginOptions.Assembly), reason, cause);
}

/// <summary>
/// The assemblies of one plugin. The contracts, and the assemblies its container exposes, are the host's own, whatever copies lie
/// beside the plugin: the providers of a second NumaSharp would have different types. All its other assemblies are private.
/// </summary>
internal sealed class PluginLoadContext : AssemblyLoadContext
{
    private static readonly Assembly[] s_shared =
    [
        typeof(INumaPlugin).Assembly,
        typeof(IServiceCollection).Assembly,
        typeof(ILoggerFactory).Assembly,
        typeof(IConfiguration).Assembly,
        typeof(IChangeToken).Assembly,
    ];

    private readonly AssemblyDependencyResolver _resolver;
    private readonly PluginFolder _folder;

    public PluginLoadContext(string realPath, PluginFolder folder)
        : base($"NumaSharp plugin {Path.GetFileName(realPath)}")
    {
        // The resolver opens it, and would block forever on a FIFO.
        if (Path.ChangeExtension(realPath, ".deps.json") is var list && File.Exists(list))
        {
            folder.Find(list);
        }

        _resolver = new AssemblyDependencyResolver(realPath);
        _folder = folder;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "Plugins are refused where code cannot be loaded.")]
    public Assembly LoadImage(byte[] image)
    {
        using var stream = new MemoryStream(image, writable: false);
        return LoadFromStream(stream);
    }

    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (Array.Find(s_shared, shared => shared.GetName().Name == assemblyName.Name) is { } host)
        {
            return host;
        }

        return _resolver.ResolveAssemblyToPath(assemblyName) is { } path
            ? LoadImage(PluginFile.Read(_folder.Find(path)))
            : null;
    }

    protected override nint LoadUnmanagedDll(string unmanagedDllName) =>
        _resolver.ResolveUnmanagedDllToPath(unmanagedDllName) is { } path
            ? LoadUnmanagedDllFromPath(_folder.Find(path))
            : 0;
}
