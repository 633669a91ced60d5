namespace NumaSharp.Hosting;

/// <summary>The live page, where the application maps it (<c>MapNuma</c>): section <c>Numa:Page</c>.</summary>
public sealed class NumaPageOptions
{
    /// <summary>Whether <c>MapNuma</c> maps it.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>How often what it shows is read while somebody looks, from 100 milliseconds to 1 minute.</summary>
    /// <value>Default 1 second.</value>
    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(1);
}
