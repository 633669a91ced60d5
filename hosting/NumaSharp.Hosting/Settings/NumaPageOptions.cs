namespace NumaSharp.Hosting;

/// <summary>The live page, if the application maps it (<c>MapNuma</c>): section <c>Numa:Page</c>.</summary>
public sealed class NumaPageOptions
{
    /// <summary>Whether <c>MapNuma</c> maps it.</summary>
    /// <value>Default <see langword="true"/>.</value>
    public bool Enabled { get; set; } = true;

    /// <summary>How often the page's data is read while it is open, from 100 milliseconds to 1 minute.</summary>
    /// <value>Default 1 second.</value>
    public TimeSpan Interval { get; set; } = TimeSpan.FromSeconds(1);
}
